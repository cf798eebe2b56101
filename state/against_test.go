//go:build cgo

package state

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// random makes a project of sources, views, tables, incrementals, ephemerals and tests over a real DuckDB. salt changes what a table holds.
type random struct {
	*world
	r     *rand.Rand
	salt  int
	code  map[string]int // by id: which of its texts a node has
	above map[string][]string
}

func newRandom(t *testing.T, seed uint64) *random {
	x := &random{world: newWorld(t), r: rand.New(rand.NewPCG(seed, 7)), code: map[string]int{}, above: map[string][]string{}}
	for i := range 2 {
		name := fmt.Sprintf("raw%d", i)
		x.exec("create table w.main." + name + " (v int)")
		x.exec("insert into w.main." + name + " values (1)")
		x.add("source.shop."+name, "", "")
	}
	readable := []string{"source.shop.raw0", "source.shop.raw1"}
	for i := range 5 + x.r.IntN(7) {
		kind := []string{"table", "table", "view", "view", "incremental"}[x.r.IntN(5)]
		id := fmt.Sprintf("model.shop.m%d", i)
		var parents []string
		for range 1 + x.r.IntN(2) {
			p := readable[x.r.IntN(len(readable))]
			if len(readable) > 2 && x.r.IntN(3) > 0 {
				p = readable[2+x.r.IntN(len(readable)-2)]
			}
			if !slices.Contains(parents, p) {
				parents = append(parents, p)
			}
		}
		x.above[id] = parents
		x.add(id, kind, "", parents...)
		x.text(id)
		if x.r.IntN(4) == 0 {
			x.nodes[id].config["state"] = map[string]any{"lag_tolerance": "0s", "require_fresh_data_from": "all"}
		}
		if x.r.IntN(5) == 0 {
			x.nodes[id].config["state"] = map[string]any{"lag_tolerance": "1h"}
		}
		if x.r.IntN(3) == 0 {
			test := "test.shop.t" + strconv.Itoa(i)
			x.add(test, "test", "select * from w.main."+short(id)+" where v is null", id)
		}
		readable = append(readable, id)
	}
	return x
}

// text writes a node's SQL. Each text of a table gives other rows.
func (x *random) text(id string) {
	var from []string
	for i, p := range x.above[id] {
		from = append(from, fmt.Sprintf("(select sum(v) as v from w.main.%s) as t%d", short(p), i))
	}
	var sum []string
	for i := range from {
		sum = append(sum, fmt.Sprintf("t%d.v", i))
	}
	x.nodes[id].sql = fmt.Sprintf("select cast(%s + %d as bigint) as v from %s", strings.Join(sum, " + "), x.code[id], strings.Join(from, " cross join "))
}

// change does one thing to the project or the warehouse. It tells whether the builds that follow are sure to change data.
func (x *random) change() (what string, sure bool) {
	models := slices.DeleteFunc(slices.Clone(x.order), func(id string) bool { return kindOf(id) != "model" })
	id := models[x.r.IntN(len(models))]
	n := x.nodes[id]
	switch x.r.IntN(7) {
	case 0, 1:
		raw := fmt.Sprintf("raw%d", x.r.IntN(2))
		x.salt++
		x.exec(fmt.Sprintf("insert into w.main.%s values (%d)", raw, 1000+x.salt))
		return "rows into " + raw, true
	case 2:
		x.salt++
		x.code[id] += 10000 * x.salt
		x.text(id)
		return "code of " + id, true
	case 3:
		n.sql = "select cast(" + strings.TrimPrefix(n.sql, "select cast(") + " -- said otherwise"
		return "a comment in " + id, true
	case 4:
		if kind := x.standing(short(id)); kind != "" {
			x.exec("drop " + kind + ` w.main."` + short(id) + `"`)
		}
		return "drop of " + id, false
	case 5:
		n.config["grants"] = map[string]any{"select": []string{fmt.Sprint(x.r.IntN(1000))}}
		return "configuration of " + id, false
	}
	if x.standing(short(id)) == "table" {
		x.salt++
		x.exec(fmt.Sprintf(`insert into w.main."%s" values (%d)`, short(id), 5000+x.salt))
	}
	return "a foreign row in " + id, false
}

// Through series of changes the plan holds at least what the plugin then builds, and exactly that where each build changes data. What a run of state
// recorded, the plugin takes as its own history.
func TestPlanAgainstPlugin(t *testing.T) {
	projects := 6
	if os.Getenv("HODOR_LONG") != "" {
		projects = 150
	}
	exact, more, ran := 0, 0, 0
	for seed := range projects {
		x := newRandom(t, uint64(seed))
		for step := range 10 {
			what, sure := "first", true
			if step > 0 {
				what, sure = x.change()
			}
			o := x.options("build")
			o.DryRun = true
			r, err := x.run(o)
			must(t, err)
			planned := map[string]bool{}
			for _, n := range r.Plan.Build {
				planned[n.ID] = true
			}
			if x.r.IntN(3) == 0 { // this time state builds; nothing is left for the plugin
				r, err := x.run(x.options("build"))
				must(t, err)
				ran++
				if len(r.NotRecorded) > 0 {
					t.Fatalf("seed %d, step %d (%s): not recorded %v", seed, step, what, r.NotRecorded)
				}
				if left := x.pluginRun(); len(left) > 0 {
					t.Fatalf("seed %d, step %d (%s): state built %v, and the plugin still builds %v", seed, step, what, x.built, left)
				}
				continue
			}
			built := x.pluginRun()
			for _, id := range built {
				if !planned[id] {
					t.Fatalf("seed %d, step %d (%s): the plugin builds %s, the plan holds %v\n%s: %s", seed, step, what, id, keysOf(planned), id, x.nodes[id].sql)
				}
			}
			if len(built) == len(planned) {
				exact++
				continue
			}
			more++
			if sure {
				t.Fatalf("seed %d, step %d (%s): the plan holds %v, the plugin builds %v", seed, step, what, keysOf(planned), built)
			}
		}
	}
	t.Logf("%d plans exact, %d held more than was built, %d times state ran", exact, more, ran)
	if exact < projects || ran < projects || more == 0 {
		t.Errorf("too few: %d exact, %d more, %d runs", exact, more, ran)
	}
}

func keysOf(m map[string]bool) []string {
	var out []string
	for k := range m {
		out = append(out, short(k))
	}
	slices.Sort(out)
	return out
}
