package engine

import (
	"fmt"
	"strings"
	"testing"
)

const hour = int64(3600 * 1000)

// settled returns the input of a node of kind that has nothing to do: built ten hours ago, everything known and equal since. Tables and
// tests read the tables a and b, through the view v.
func settled(kind Kind) Input {
	hashes := Hashes{Version: "1", Code: "code", Unrendered: "unrendered", Config: "config"}
	in := Input{
		Kind: kind, Now: hashes, Relation: Present, Target: "target", LineageKnown: true, NowMS: 500 * hour,
		Record: &Record{Hashes: hashes, Target: "target", BuiltAtMS: 490 * hour, Upstreams: map[string]Version{}, Views: map[string]View{}},
	}
	switch kind {
	case KindView:
		in.Columns = map[string]Version{"a": "columns"}
		in.Record.Columns = map[string]Version{"a": "columns"}
		return in
	case KindTest:
		in.Target, in.Record.Target = "", ""
		in.Record.Test = &TestResult{Status: "pass"}
	}
	set(&in, "a", "1", "1")
	set(&in, "b", "1", "1")
	v := View{Name: "v", Code: "code", Definition: "definition"}
	in.Views = []View{v}
	in.Record.Views["v"] = v
	return in
}

// set gives in an upstream with its recorded and its present version; "-" as the recorded one leaves it out of the record.
func set(in *Input, name string, then, now Version) {
	if then == "-" {
		delete(in.Record.Upstreams, name)
	} else {
		in.Record.Upstreams[name] = then
	}
	for i := range in.Upstreams {
		if in.Upstreams[i].Name == name {
			in.Upstreams[i].Now = now
			return
		}
	}
	in.Upstreams = append(in.Upstreams, Upstream{Name: name, Now: now})
}

// changes are the words of the cases: each changes a settled input.
var changes = map[string]func(*Input){
	"full refresh":             func(in *Input) { in.FullRefresh = true },
	"empty run":                func(in *Input) { in.NoReuse = NoHistory },
	"compare unrendered":       func(in *Input) { in.CompareUnrendered = true },
	"all":                      func(in *Input) { in.RequireAll = true },
	"no record":                func(in *Input) { in.Record = nil },
	"built at an unknown time": func(in *Input) { in.Record.BuiltAtMS = 0 },
	"built now":                func(in *Input) { in.Record.BuiltAtMS = in.NowMS },
	"built in the future":      func(in *Input) { in.Record.BuiltAtMS = in.NowMS + 1 },
	"clock unknown":            func(in *Input) { in.NowMS = 0 },
	"no recorded outcome":      func(in *Input) { in.Record.Test = nil },
	"recorded error":           func(in *Input) { in.Record.Test = &TestResult{Status: "error"} },
	"recorded fail":            func(in *Input) { in.Record.Test = &TestResult{Status: "fail", Failures: 2} },
	"recorded warn":            func(in *Input) { in.Record.Test = &TestResult{Status: "warn", Failures: 1} },
	"no recorded target":       func(in *Input) { in.Record.Target = "" },
	"neither target":           func(in *Input) { in.Record.Target, in.Target = "", "" },
	"relation missing":         func(in *Input) { in.Relation = Absent },
	"relation unseen":          func(in *Input) { in.Relation = Unseen },
	"hash version differs":     func(in *Input) { in.Now.Version = "2" },
	"hash versions unknown":    func(in *Input) { in.Now.Version, in.Record.Hashes.Version = "", "" },
	"code differs":             func(in *Input) { in.Now.Code = "other" },
	"code unknown":             func(in *Input) { in.Now.Code, in.Record.Hashes.Code = "", "" },
	"unrendered differs":       func(in *Input) { in.Now.Unrendered = "other" },
	"unrendered unknown":       func(in *Input) { in.Now.Unrendered, in.Record.Hashes.Unrendered = "", "" },
	"config differs":           func(in *Input) { in.Now.Config = "other" },
	"config unknown":           func(in *Input) { in.Now.Config, in.Record.Hashes.Config = "", "" },
	"target differs":           func(in *Input) { in.Target = "other" },
	"target unknown":           func(in *Input) { in.Target = "" },
	"select star":              func(in *Input) { in.SelectStarView = true },
	"reads itself":             func(in *Input) { in.ReadsItself = true },
	"lineage unknown":          func(in *Input) { in.LineageKnown = false },
	"hooks unknown":            func(in *Input) { in.HooksUnknown = true },
	"columns of a differ":      func(in *Input) { in.Columns["a"] = "other" },
	"columns of a unknown":     func(in *Input) { in.Columns["a"], in.Record.Columns["a"] = "", "" },
	"columns not read":         func(in *Input) { in.Columns = nil },
	"columns not recorded":     func(in *Input) { in.Record.Columns = nil },
	"columns of b new":         func(in *Input) { in.Columns["b"] = "columns" },
	"columns of b gone":        func(in *Input) { in.Record.Columns["b"] = "columns" },
	"reads no relation":        func(in *Input) { in.Columns, in.Record.Columns = map[string]Version{}, map[string]Version{} },
	"views bind anew":          func(in *Input) { in.ViewsBindAnew, in.Columns, in.Record.Columns = true, nil, nil },
	"a unknown":                func(in *Input) { set(in, "a", "1", "") },
	"a not in the record":      func(in *Input) { set(in, "a", "-", "1") },
	"a recorded as unknown":    func(in *Input) { set(in, "a", "", "1") },
	"a never known":            func(in *Input) { set(in, "a", "", "") },
	"a differs":                func(in *Input) { set(in, "a", "1", "2") },
	"a the same":               func(in *Input) { set(in, "a", "1", "1") },
	"a restored":               func(in *Input) { set(in, "a", "2", "1") },
	"b differs":                func(in *Input) { set(in, "b", "1", "2") },
	"c no longer read":         func(in *Input) { in.Record.Upstreams["c"] = "1" },
	"opaque:read_csv":          func(in *Input) { set(in, "opaque:read_csv", "-", "") },
	"reads nothing": func(in *Input) {
		in.Upstreams, in.Views, in.Record.Upstreams, in.Record.Views = nil, nil, nil, nil
	},
	"view v differs":          func(in *Input) { in.Views[0].Code = "other" },
	"view v unknown":          func(in *Input) { in.Views[0].Code = "" },
	"view v not in record":    func(in *Input) { delete(in.Record.Views, "v") },
	"view v redefined":        func(in *Input) { in.Views[0].Definition = "other" },
	"view v undefined":        func(in *Input) { in.Views[0].Definition = "" },
	"view w no longer read":   func(in *Input) { in.Record.Views["w"] = View{Name: "w", Code: "code"} },
	"ephemeral v":             func(in *Input) { in.Views[0].Ephemeral, in.Views[0].Definition = true, "" },
	"hook reads view v":       func(in *Input) { in.Views = []View{{Name: "v", Code: "new", Definition: "definition"}} },
	"volatile:date the same":  func(in *Input) { set(in, "volatile:date", "2026-10-20", "2026-10-20") },
	"volatile:date differs":   func(in *Input) { set(in, "volatile:date", "2026-10-19", "2026-10-20") },
	"volatile:date unknown":   func(in *Input) { set(in, "volatile:date", "2026-10-19", "") },
	"volatile:date new":       func(in *Input) { set(in, "volatile:date", "-", "2026-10-20") },
	"volatile:date ignored":   func(in *Input) { in.Record.Upstreams["volatile:date"] = "2026-10-19" },
	"volatile:always unknown": func(in *Input) { set(in, "volatile:always", "-", "") },
	"lag 0":                   func(in *Input) { in.LagToleranceMS = 0 },
	"lag 11h":                 func(in *Input) { in.LagToleranceMS = 11 * hour },
	"lag 10h":                 func(in *Input) { in.LagToleranceMS = 10 * hour },
	"lag 10h and 1 ms":        func(in *Input) { in.LagToleranceMS = 10*hour + 1 },
	"lag below 0":             func(in *Input) { in.LagToleranceMS = -1 },
}

// parse makes the input that a case's words describe: a kind, then changes, parted by commas. The second result is the list of rules.
func parse(t *testing.T, text string) (Input, []rule) {
	t.Helper()
	words := strings.Split(text, ", ")
	in, asked := settled(Kind(words[0])), rules
	for _, w := range words[1:] {
		if w == "no rule decides" {
			asked = nil
			continue
		}
		change, ok := changes[w]
		if !ok {
			t.Fatalf("case %q: no change is called %q", text, w)
		}
		change(&in)
	}
	return in, asked
}

// show prints a decision as the cases write it.
func show(d Decision) string {
	return fmt.Sprintf("%s %s", d.Action, d.Reason)
}
