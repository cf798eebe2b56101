package simulation

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"hodor/stores"
	"hodor/stores/memory"
)

// step is one step of a history: a kind, and a number that all its choices follow from.
type step struct {
	kind string
	n    uint64
}

// kinds are the kinds of steps with their weights.
var kinds = []struct {
	name   string
	weight int
}{
	{"run", 10}, {"part", 4}, {"shadow", 1}, {"off", 2}, {"killed", 3}, {"faults", 2}, {"double", 2}, {"flags", 2},
	{"code", 4}, {"revert", 3}, {"there and back", 2}, {"cut short", 1}, {"spelling", 2}, {"config", 2}, {"hooks", 1}, {"kind", 1}, {"name", 1}, {"parent", 1},
	{"write", 5}, {"drop", 2}, {"view", 1}, {"schema", 2}, {"maintenance", 1}, {"restore", 2},
	{"setting", 1}, {"function", 1}, {"policy", 1}, {"macro", 1}, {"var", 1}, {"clock", 1}, {"night", 1}, {"file", 1}, {"release", 1},
	{"damage", 1}, {"lost", 1}, {"stranger", 1},
}

// steps draws the steps of a history.
func steps(seed uint64, focus []string) []step {
	r := rand.New(rand.NewPCG(seed, 2))
	var drawn []string
	for _, k := range kinds {
		weight := 0
		if k.name == "run" || k.name == "part" || r.IntN(3) == 0 {
			weight = k.weight
		}
		if slices.Contains(focus, k.name) {
			weight += 6
		}
		for range weight {
			drawn = append(drawn, k.name)
		}
	}
	out := []step{{"run", r.Uint64()}, {"run", r.Uint64()}}
	for range 2 + r.IntN(6) {
		out = append(out, step{drawn[r.IntN(len(drawn))], r.Uint64()})
	}
	return append(out, step{"run", r.Uint64()})
}

// do takes one step.
func (w *world) do(s step) {
	r := rand.New(rand.NewPCG(s.n, 3))
	if !w.late {
		w.pass(r.Int64N(3_600_000))
	}
	w.late = s.kind == "night"
	switch s.kind {
	case "run", "part", "shadow", "off", "killed", "faults", "double", "flags":
		w.invoke(s.kind, r)
	case "code", "revert", "spelling", "config", "hooks", "kind", "name", "parent":
		w.edit(r, s.kind)
	case "there and back":
		// A, B, A, each with a run.
		before := w.p.nodes
		w.p.nodes = maps.Clone(before)
		w.edit(r, []string{"code", "config", "hooks"}[r.IntN(3)])
		w.invoke("run", r)
		if w.wrong == "" {
			w.p.nodes = before
			w.p.sort()
			w.say("and back")
			w.invoke("run", r)
		}
	case "cut short":
		w.cutShort(r)
	case "write", "drop", "view", "schema", "maintenance", "restore":
		w.foreign(s.kind, r)
	case "damage", "lost", "stranger":
		clear(w.truth)
		w.harmed = w.runs
		w.harm(s.kind, r)
	default:
		w.surroundings(s.kind, r)
	}
}

// cutShort is A, B, A of a source or of the project, where the run in between comes to no good end.
func (w *world) cutShort(r *rand.Rand) {
	nodes := w.p.nodes
	rel := w.db.rels[nodes[[]string{"source.shop.raw.s1", "source.shop.raw.s2"}[r.IntN(2)]].key()]
	data := rel != nil && !rel.isView && r.IntN(2) == 0
	if data {
		w.say("someone writes %s", rel.key())
		w.change(rel, rel.content.clone(), rel.at("v"), r)
	} else {
		w.p.nodes = maps.Clone(nodes)
		w.edit(r, []string{"code", "config", "hooks"}[r.IntN(3)])
	}
	w.invoke([]string{"killed", "faults"}[r.IntN(2)], r)
	if w.wrong != "" {
		return
	}
	w.say("and back")
	if data {
		w.db.write(rel.parts, rel.content.clone(), "RESTORE", "", map[string]string{"numRestoredFiles": "1", "numRemovedFiles": "1"})
		return
	}
	w.p.nodes = nodes
	w.p.sort()
}

// invoke runs dbt once, or twice at once.
func (w *world) invoke(kind string, r *rand.Rand) {
	make := func() *run {
		all := w.p.ids(func(n *node) bool { return n.resource != "source" && n.mat != "ephemeral" })
		o := &run{mode: "on", command: "build", threads: 1 + r.IntN(2), stop: -1, faultless: true, todo: all}
		if kind == "part" || kind != "run" && r.IntN(2) == 0 {
			o.todo = slices.DeleteFunc(slices.Clone(all), func(string) bool { return r.IntN(2) == 0 })
		}
		return o
	}
	runs := []*run{make()}
	o := runs[0]
	o.faultless = kind == "run" || kind == "part" || kind == "shadow" || kind == "flags"
	switch kind {
	case "shadow", "off":
		o.mode = kind
	case "killed":
		o.stop = r.IntN(3*len(o.todo) + 1)
	case "faults":
		switch r.IntN(3) {
		case 0:
			o.storeFault = []string{"open", "load", "append", "part"}[r.IntN(4)]
		case 1:
			o.host = &host{fail: fails(r.Uint64())}
		default:
			o.broken = map[string]string{}
			for _, id := range o.todo {
				if r.IntN(3) == 0 {
					o.broken[id] = []string{"before", "after", "late"}[r.IntN(3)]
				}
			}
			o.flags.FailFast = r.IntN(2) == 0
		}
	case "double":
		if !w.db.duckdb() { // DuckDB lets one process in
			w.foreign("write", r) // so that both have something to do
			runs = append(runs, make())
			o.faultless, runs[1].faultless = false, false
			if r.IntN(2) == 0 {
				runs[1].mode = "off"
			}
		}
	case "flags":
		switch r.IntN(3) {
		case 0:
			o.flags.FullRefresh = true
		case 1:
			o.flags.Empty = true
		default:
			w.p.warnError = !w.p.warnError
		}
	}
	if w.p.warnError {
		for _, o := range runs {
			o.flags.WarnError = "all"
		}
	}
	for _, o := range runs {
		w.begin(o)
	}
	for len(w.active) > 0 && w.wrong == "" {
		w.active[r.IntN(len(w.active))].step(r)
		if kind == "double" && len(w.active) > 1 && r.IntN(6) == 0 {
			w.foreign("write", r)
		} else if !w.db.duckdb() && r.IntN(20) == 0 && kind != "run" && len(w.active) > 0 {
			w.foreign([]string{"write", "write", "schema", "maintenance", "restore", "drop"}[r.IntN(6)], r)
		}
	}
}

// target picks a relation that someone else may touch now.
func (w *world) target(r *rand.Rand) *relation {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(w.db.rels)) {
		busy := strings.Contains(key, "side_")
		for _, o := range w.active {
			for _, f := range o.flights {
				// What a build reads of its own table beside its query has no version (docs/limits.md).
				reads := f.job.began != nil && (f.job.n.mat == "incremental" || f.job.n.mat == "snapshot")
				busy = busy || (f.written || reads) && f.job.n.key() == key
			}
		}
		if !busy {
			keys = append(keys, key)
			if strings.Contains(key, ".raw.") {
				keys = append(keys, key)
			}
			if w.can["audit"] && key == auditKey {
				keys = append(keys, key, key, key)
			}
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return w.db.rels[keys[r.IntN(len(keys))]]
}

// foreign writes past dbt.
func (w *world) foreign(kind string, r *rand.Rand) {
	rel := w.target(r)
	if rel == nil {
		return
	}
	d := w.db
	if kind == "view" {
		w.say("someone makes a view of %s", rel.key())
		q := query{arms: []arm{{from: ref{parts: [3]string{catalog, "raw", []string{"s1", "s2"}[r.IntN(2)]}}, expr: expr{"add", r.IntN(3)}}}}
		if q.arms[0].from.key() == rel.key() {
			return
		}
		d.drop(rel.key())
		v := &relation{parts: rel.parts, isView: true, body: q}
		if !d.duckdb() {
			tick := 0
			if c, err := (env{db: d, tick: &tick}).eval(q); err == nil {
				v.frozen = c.cols
			}
		}
		d.put(v)
		return
	}
	if kind == "drop" {
		d.drop(rel.key())
		again := r.IntN(2) == 0 && !rel.isView
		w.say("someone drops %s, makes it again: %t", rel.key(), again)
		if again {
			c := rel.content.clone()
			if r.IntN(2) == 0 && len(c.rows) > 0 {
				c.rows = c.rows[1:]
			}
			d.write(rel.parts, c, "CREATE TABLE AS SELECT", "", map[string]string{"numOutputRows": fmt.Sprint(len(c.rows))})
		}
		return
	}
	if rel.isView {
		return
	}
	w.say("someone: %s of %s", kind, rel.key())
	c := rel.content.clone()
	at := c.at("v")
	switch kind {
	case "write":
		w.change(rel, c, at, r)
	case "schema":
		w.schema(rel, c, r)
	case "restore":
		if d.duckdb() {
			w.comeBack(rel, r)
			return
		}
		earlier := rel.commits[r.IntN(len(rel.commits))]
		metrics := map[string]string{"numRestoredFiles": "1", "numRemovedFiles": fmt.Sprint(r.IntN(2))}
		if r.IntN(3) == 0 {
			d.write(rel.parts, earlier.left.clone(), "CLONE", "", map[string]string{"numRemovedFiles": "0", "numCopiedFiles": "0"})
		} else {
			d.write(rel.parts, earlier.left.clone(), "RESTORE", "", metrics)
		}
	case "maintenance":
		for range 1 + r.IntN(8)*r.IntN(4) {
			d.note(rel.key(), []string{"OPTIMIZE", "VACUUM END", "SET TBLPROPERTIES", "ANALYZE"}[r.IntN(4)], map[string]string{"numRemovedFiles": "2"})
		}
		switch r.IntN(4) {
		case 0:
			d.note(rel.key(), "CHANGE COLUMN", nil)
		case 1:
			d.note(rel.key(), "DELETE", map[string]string{"numDeletedRows": "0", "numRemovedFiles": "0"})
		}
	}
}

// change writes rows.
func (w *world) change(rel *relation, c content, at int, r *rand.Rand) {
	d := w.db
	if len(c.rows) == 0 || at < 0 || r.IntN(3) == 0 {
		row := make([]value, len(c.cols))
		for i := range row {
			row[i] = value(fmt.Sprint(r.IntN(9)))
		}
		c.rows = append(c.rows, row)
		d.write(rel.parts, c, "WRITE", "Append", map[string]string{"numOutputRows": "1", "numFiles": "1"})
		return
	}
	row := c.rows[r.IntN(len(c.rows))]
	switch s, f := c.at("s"), c.at("f"); r.IntN(8) {
	case 7:
		// The same rows in another order.
		c.rows = append(c.rows[1:], c.rows[0])
		d.write(rel.parts, c, "UPDATE", "", map[string]string{"numUpdatedRows": "1"})
	case 0:
		if f >= 0 {
			row[f] = map[bool]value{true: "-0.0", false: "0.0"}[row[f] == "0.0"]
		}
		d.write(rel.parts, c, "UPDATE", "", map[string]string{"numUpdatedRows": "1"})
	case 1:
		if s >= 0 && row[s] != null {
			row[s] = value(map[bool]string{true: "A", false: "a"}[row[s] == "a"])
		}
		d.write(rel.parts, c, "UPDATE", "", map[string]string{"numUpdatedRows": "1"})
	case 2:
		c.rows = c.rows[1:]
		// With deletion vectors no file is removed; without statistics no rows are counted.
		d.write(rel.parts, c, "DELETE", "", []map[string]string{
			{"numDeletedRows": "1", "numRemovedFiles": "0", "numDeletionVectorsAdded": "1"}, {"numRemovedFiles": "1"}, {"numDeletionVectorsAdded": "1", "numCopiedRows": "0"}}[r.IntN(3)])
	case 3:
		c.rows = nil
		d.write(rel.parts, c, "TRUNCATE", "", map[string]string{"numRemovedFiles": "1"})
	case 4:
		row[at] = number(row[at].number() + 1)
		d.write(rel.parts, c, "FROBNICATE", "", map[string]string{"numOutputRows": "0"})
	case 5:
		c.rows = nil
		d.write(rel.parts, c, "WRITE", "Overwrite", map[string]string{"numOutputRows": "0", "numRemovedFiles": "0"})
	default:
		row[at] = number(row[at].number() + float64(1+r.IntN(2)))
		d.write(rel.parts, c, "MERGE", "", map[string]string{"numTargetRowsUpdated": "1", "numOutputRows": "1"})
	}
}

// schema changes names, types, order and number of columns.
func (w *world) schema(rel *relation, c content, r *rand.Rand) {
	d := w.db
	at := c.at("v")
	if at < 0 || len(c.cols) == 0 {
		return
	}
	operation, metrics := "CHANGE COLUMN", map[string]string(nil)
	switch r.IntN(5) {
	case 0:
		c.cols[at].typ = map[bool]string{true: "BIGINT", false: "INTEGER"}[c.cols[at].typ == "INTEGER"]
	case 1:
		c.cols[at].name, operation = "w", "RENAME COLUMN"
	case 2:
		other := r.IntN(len(c.cols))
		c.cols[at], c.cols[other] = c.cols[other], c.cols[at]
		for _, row := range c.rows {
			row[at], row[other] = row[other], row[at]
		}
	case 3:
		operation, metrics = "MERGE", map[string]string{"numTargetRowsInserted": "0", "numTargetRowsUpdated": "0", "numTargetRowsDeleted": "0", "numOutputRows": "0"}
		fallthrough
	default:
		if operation != "MERGE" {
			operation = "ADD COLUMNS"
		}
		c.cols = append(c.cols, column{name: fmt.Sprintf("x%d", r.IntN(100)), typ: "INTEGER"})
		for i := range c.rows {
			c.rows[i] = append(c.rows[i], null)
		}
	}
	if d.duckdb() {
		if r.IntN(3) == 0 && c.at("s") >= 0 {
			c.cols[c.at("s")].collate = !c.cols[c.at("s")].collate
		}
		operation = ""
	}
	d.write(rel.parts, c, operation, "", metrics)
}

// comeBack gives a DuckDB table a content that it had.
func (w *world) comeBack(rel *relation, r *rand.Rand) {
	earlier := w.earlier[rel.key()]
	if len(earlier) > 0 {
		at := r.IntN(len(earlier))
		if r.IntN(2) == 0 {
			at = len(earlier) - 1 - r.IntN(min(2, len(earlier)))
		}
		w.db.write(rel.parts, earlier[at].clone(), "", "", nil)
	}
}

// surroundings changes what is no table.
func (w *world) surroundings(kind string, r *rand.Rand) {
	d := w.db
	w.say("changed: %s", kind)
	flip := func(name string) {
		d.setting[name] = map[bool]string{true: "false", false: "true"}[d.setting[name] == "true"]
	}
	switch kind {
	case "setting":
		switch r.IntN(3) {
		case 0:
			d.zone = zone(zones[r.IntN(len(zones))])
		case 1:
			d.setting["threads"] = fmt.Sprint(r.IntN(8))
		default:
			flip(map[bool]string{true: "integer_division", false: "ansi"}[d.duckdb()])
		}
	case "function":
		name := []string{"abs", "own_function", "unrelated"}[r.IntN(3)]
		if !d.duckdb() && name != "own_function" {
			return // Databricks resolves built-ins first
		}
		if d.functions[name] != 0 && r.IntN(2) == 0 {
			delete(d.functions, name)
		} else {
			d.functions[name] = 1 + r.IntN(5)
		}
	case "policy":
		if rel := w.target(r); rel != nil && !d.duckdb() && !rel.isView {
			if _, on := d.filters[rel.key()]; on {
				delete(d.filters, rel.key())
			} else {
				d.filters[rel.key()] = r.IntN(8)
			}
		}
	case "macro":
		w.p.override, w.p.overrideVar = r.IntN(3), r.IntN(2) == 0
	case "var":
		w.p.k = r.IntN(4)
	case "clock":
		clear(w.truth)
		years := []int64{-10, -1, 0, 1, 10}[r.IntN(5)] * 365 * 86_400_000
		d.nowMS += years + r.Int64N(14_400_000) - 7_200_000
		w.process.Add(r.Int64N(1_000_000_000) - 500_000_000)
	case "night":
		w.pass(d.untilNight(r) - r.Int64N(60_000))
	case "file":
		d.file = r.IntN(9)
	case "release":
		if d.duckdb() {
			clear(w.truth)
			d.release = []string{"v1.5.6", "v2.0.1"}[r.IntN(2)]
		}
	}
}

// untilNight is the time to a midnight, in ms: in UTC or in the session's zone, of one of the next days or of the day on which the zone's clock is
// moved next.
func (d *database) untilNight(r *rand.Rand) int64 {
	day := int64(86_400_000)
	ahead := 1
	if r.IntN(2) == 0 {
		ahead += r.IntN(30)
	}
	if r.IntN(3) == 0 {
		return int64(ahead)*day - d.nowMS%day
	}
	today := d.today()
	if r.IntN(3) == 0 {
		_, offset := today.Zone()
		for ahead = 1; ahead < 370; ahead++ {
			if _, other := today.AddDate(0, 0, ahead).Zone(); other != offset {
				break
			}
		}
		ahead += r.IntN(2) // the midnight before it, or the one after
	}
	return time.Date(today.Year(), today.Month(), today.Day()+ahead, 0, 0, 0, 0, d.zone).UnixMilli() - d.nowMS
}

// harm damages the state store.
func (w *world) harm(kind string, r *rand.Rand) {
	m, ok := w.store.(*memory.Store)
	if !ok {
		return
	}
	w.say("state: %s", kind)
	switch kind {
	case "damage":
		i, at := 0, r.IntN(20)
		var last stores.Record
		m.Damage(func(rec *stores.Record) {
			if i++; i%(at+1) == 0 {
				spoil(rec, last, w.db.nowMS, r.IntN(9))
			}
			last = *rec
		})
	case "lost":
		// The store comes back from a backup, or its old rows are pruned.
		list, err := m.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{})
		if err != nil || len(list) == 0 {
			return
		}
		cut := list[r.IntN(len(list))].RecordedAtMS
		fresh := &memory.Store{}
		slices.Reverse(list)
		for _, rec := range list {
			if rec.RecordedAtMS < cut || r.IntN(3) == 0 {
				_ = fresh.Append(context.Background(), []stores.Record{rec})
			}
		}
		w.store = fresh
	case "stranger":
		// Records of another project and target over the same relations.
		list, err := m.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{})
		if err != nil {
			return
		}
		for _, rec := range list {
			rec.TargetName = "prod"
			if r.IntN(2) == 0 {
				rec.ProjectName, rec.TargetName = "other", "dev"
			}
			code := "0"
			rec.CodeHash = &code
			_ = m.Append(context.Background(), []stores.Record{rec})
		}
	}
}

// spoil changes a record as a disk or a stranger would, and leaves its checksum.
func spoil(rec *stores.Record, other stores.Record, nowMS int64, how int) {
	text := func(s string) *string { return &s }
	switch how {
	case 0:
		rec.CodeHash, rec.TextHash, rec.ConfigHash = other.CodeHash, other.TextHash, other.ConfigHash
	case 1:
		rec.DataVersion = other.DataVersion
	case 2:
		rec.Upstreams = text(`{}`)
	case 3:
		rec.SQLFacts = text(`{"tables":`)
	case 4:
		rec.BuiltAtMS = &nowMS
	case 5:
		rec.Action, rec.Status = "build", "success"
	case 6:
		rec.UniqueID, rec.NodeKey = other.UniqueID, other.NodeKey
	case 7:
		rec.TestResult = text(`{"status":"pass","failures":0}`)
	default:
		future := nowMS + 1_000_000
		rec.RecordedAtMS, rec.BuiltAtMS = future, &future
	}
}
