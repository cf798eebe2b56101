package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The law: removing evidence never turns build into reuse. Fields of Input and what they hold are of three sorts; a new field fails
// TestEveryFieldHasItsSort until it is put into one.
var sorts = map[string]string{
	"Kind": "evidence", "Now": "evidence", "Relation": "evidence", "Target": "evidence", "Columns": "evidence", "ViewsBindAnew": "evidence",
	"LineageKnown": "evidence", "Upstreams": "evidence", "Views": "evidence", "NowMS": "evidence", "Record": "evidence",
	"FullRefresh": "alarm", "NoReuse": "alarm", "SelectStarView": "alarm", "ReadsItself": "alarm", "HooksUnknown": "alarm",
	"KeepsFailures":     "alarm",
	"CompareUnrendered": "setting", "RequireAll": "setting", "LagToleranceMS": "setting",
}

func TestEveryFieldHasItsSort(t *testing.T) {
	typ := reflect.TypeFor[Input]()
	for i := range typ.NumField() {
		if name := typ.Field(i).Name; sorts[name] == "" {
			t.Errorf("Input.%s is neither evidence nor alarm nor setting: say what removing it means, here and in removals", name)
		}
	}
	if len(sorts) != typ.NumField() {
		t.Errorf("%d fields are sorted, Input has %d", len(sorts), typ.NumField())
	}
}

// removal takes one piece of evidence away from an input, raises one alarm, or sets one setting to its zero value.
type removal struct {
	what string
	do   func(*Input)
}

// removals lists every single removal that in allows. Which things a node reads is itself evidence, as a whole: LineageKnown stands for it.
// So an entry of Upstreams, Views or Columns loses its version, and the whole list goes with LineageKnown; and of the record's entries those
// count that have a counterpart now. (One without raises an alarm: the node reads less than it did.)
func removals(in Input) []removal {
	list := []removal{
		{"Kind", func(in *Input) { in.Kind = "" }},
		{"Relation", func(in *Input) { in.Relation = Unseen }},
		{"Target", func(in *Input) { in.Target = "" }},
		{"NowMS", func(in *Input) { in.NowMS = 0 }},
		{"Record", func(in *Input) { in.Record = nil }},
		{"LineageKnown", func(in *Input) { in.LineageKnown = false }},
		{"Upstreams", func(in *Input) { in.Upstreams, in.LineageKnown = nil, false }},
		{"Views", func(in *Input) { in.Views, in.LineageKnown = nil, false }},
		{"Columns", func(in *Input) { in.Columns = nil }},
		{"ViewsBindAnew", func(in *Input) { in.ViewsBindAnew = false }},
		{"Now", func(in *Input) { in.Now = Hashes{} }},
		{"Now.Version", func(in *Input) { in.Now.Version = "" }},
		{"Now.Code", func(in *Input) { in.Now.Code = "" }},
		{"Now.Unrendered", func(in *Input) { in.Now.Unrendered = "" }},
		{"Now.Config", func(in *Input) { in.Now.Config = "" }},
		{"FullRefresh raised", func(in *Input) { in.FullRefresh = true }},
		{"NoReuse raised", func(in *Input) { in.NoReuse = NoHistory }},
		{"SelectStarView raised", func(in *Input) { in.SelectStarView = true }},
		{"ReadsItself raised", func(in *Input) { in.ReadsItself = true }},
		{"HooksUnknown raised", func(in *Input) { in.HooksUnknown = true }},
		{"KeepsFailures raised", func(in *Input) { in.KeepsFailures = true }},
		{"CompareUnrendered", func(in *Input) { in.CompareUnrendered = false }},
		{"RequireAll", func(in *Input) { in.RequireAll = false }},
		{"LagToleranceMS", func(in *Input) { in.LagToleranceMS = 0 }},
	}
	for i, u := range in.Upstreams {
		list = append(list, removal{"version of " + u.Name, func(in *Input) { in.Upstreams[i].Now = "" }})
	}
	for i, v := range in.Views {
		list = append(list,
			removal{"code of " + v.Name, func(in *Input) { in.Views[i].Code = "" }},
			removal{"definition of " + v.Name, func(in *Input) { in.Views[i].Definition = "" }},
			removal{v.Name + " is ephemeral", func(in *Input) { in.Views[i].Ephemeral = false }})
	}
	for name := range in.Columns {
		list = append(list, removal{"columns of " + name, func(in *Input) { in.Columns[name] = "" }})
	}
	if in.Record == nil {
		return list
	}
	list = append(list,
		removal{"Record.Hashes", func(in *Input) { in.Record.Hashes = Hashes{} }},
		removal{"Record.Hashes.Version", func(in *Input) { in.Record.Hashes.Version = "" }},
		removal{"Record.Hashes.Code", func(in *Input) { in.Record.Hashes.Code = "" }},
		removal{"Record.Hashes.Unrendered", func(in *Input) { in.Record.Hashes.Unrendered = "" }},
		removal{"Record.Hashes.Config", func(in *Input) { in.Record.Hashes.Config = "" }},
		removal{"Record.Target", func(in *Input) { in.Record.Target = "" }},
		removal{"Record.BuiltAtMS", func(in *Input) { in.Record.BuiltAtMS = 0 }},
		removal{"Record.Columns", func(in *Input) { in.Record.Columns = nil }},
		removal{"Record.Test", func(in *Input) { in.Record.Test = nil }})
	if in.Record.Test != nil {
		list = append(list, removal{"Record.Test.Status", func(in *Input) { in.Record.Test.Status = "" }})
	}
	if len(in.Upstreams) > 0 {
		list = append(list, removal{"Record.Upstreams", func(in *Input) { in.Record.Upstreams = nil }})
	}
	if len(in.Views) > 0 {
		list = append(list, removal{"Record.Views", func(in *Input) { in.Record.Views = nil }})
	}
	for _, u := range in.Upstreams {
		if _, ok := in.Record.Upstreams[u.Name]; ok {
			list = append(list,
				removal{"recorded version of " + u.Name, func(in *Input) { in.Record.Upstreams[u.Name] = "" }},
				removal{"recorded entry of " + u.Name, func(in *Input) { delete(in.Record.Upstreams, u.Name) }})
		}
	}
	for _, v := range in.Views {
		then, ok := in.Record.Views[v.Name]
		if !ok {
			continue
		}
		list = append(list,
			removal{"recorded " + v.Name, func(in *Input) { delete(in.Record.Views, v.Name) }},
			removal{"recorded code of " + v.Name, func(in *Input) {
				then := then
				then.Code = ""
				in.Record.Views[v.Name] = then
			}},
			removal{"recorded definition of " + v.Name, func(in *Input) {
				then := then
				then.Definition = ""
				in.Record.Views[v.Name] = then
			}})
	}
	for name := range in.Columns {
		if _, ok := in.Record.Columns[name]; !ok {
			continue
		}
		list = append(list,
			removal{"recorded columns of " + name, func(in *Input) { in.Record.Columns[name] = "" }},
			removal{"recorded entry of columns of " + name, func(in *Input) { delete(in.Record.Columns, name) }})
	}
	return list
}

// TestLawRemovingEvidence asks random inputs, most of them near to a settled one, and takes every piece of evidence away in turn.
func TestLawRemovingEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	seen := map[string]int{}
	for range 4000 {
		seed := rng.Uint64()
		in := random(seed)
		before := Decide(in)
		seen[show(before)]++
		for _, r := range removals(in) {
			less := random(seed)
			r.do(&less)
			after := Decide(less)
			if after.Action != Build && (before.Action == Build || sorts[r.what] == "alarm") {
				t.Fatalf("without %s, %s became %s:\n%s", r.what, show(before), show(after), dump(in))
			}
		}
	}
	for _, want := range []string{
		"reuse no_new_data", "reuse view_unchanged", "reuse within_lag_tolerance", "build full_refresh", "build unsupported", "build no_history",
		"build relation_missing", "build code_changed", "build config_changed", "build target_modified", "build select_star_view",
		"build unknown_upstream", "build upstream_code_changed", "build new_upstream_data", "build volatile_sql",
	} {
		if seen[want] < 10 {
			t.Errorf("the random inputs reach %s only %d times: %v", want, seen[want], seen)
		}
	}
}

// random makes an input from a seed: a settled node with a few changes, so that the late rules are reached too.
func random(seed uint64) Input {
	rng := rand.New(rand.NewPCG(seed, 3))
	kinds := []Kind{KindTable, KindTable, KindIncremental, KindView, KindView, KindSeed, KindSnapshot, KindTest}
	in := settled(kinds[rng.IntN(len(kinds))])
	names := make([]string, 0, len(changes))
	for name := range changes {
		names = append(names, name)
	}
	slices.Sort(names)
	for range rng.IntN(5) {
		try(&in, changes[names[rng.IntN(len(names))]])
	}
	if rng.IntN(40) == 0 {
		in.Kind = KindUnsupported
	}
	versions := []Version{"", "1", "2"}
	for range rng.IntN(3) { // more upstreams, in any state
		name := fmt.Sprintf("t%d", rng.IntN(3))
		if in.Record != nil && in.Record.Upstreams != nil {
			set(&in, name, append(versions, "-")[rng.IntN(4)], versions[rng.IntN(3)])
		}
	}
	if in.LagToleranceMS == 0 && rng.IntN(3) == 0 {
		in.LagToleranceMS = 20 * hour * int64(rng.IntN(2))
	}
	return in
}

// try applies a change if the input has what it changes.
func try(in *Input, change func(*Input)) {
	defer func() { _ = recover() }() // a view that the settled input lacks, a record that an earlier change took away
	change(in)
}

func dump(in Input) string {
	b, err := json.MarshalIndent(in, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}
