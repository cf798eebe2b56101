package engine

import (
	"reflect"
	"testing"
)

// cases are inputs in the words of settled_test.go, by rule, with their decisions.
var cases = []struct{ rule, input, want string }{
	{"settled", "table", "reuse no_new_data"},
	{"settled", "incremental", "reuse no_new_data"},
	{"settled", "seed, reads nothing", "reuse no_new_data"},
	{"settled", "snapshot", "reuse no_new_data"},
	{"settled", "view", "reuse view_unchanged"},
	{"settled", "test", "reuse no_new_data"},

	{"rule 2", "table, full refresh", "build full_refresh"},
	{"rule 2", "test, full refresh", "build full_refresh"},
	{"rule 2 before 3", "unsupported, full refresh", "build full_refresh"},
	{"rule 2 before 4", "table, full refresh, no record", "build full_refresh"},
	{"rule 2 before S4", "table, full refresh, empty run", "build full_refresh"},

	{"rule 3", "unsupported", "build unsupported"},
	{"rule 3", "ephemeral", "build unsupported"},
	{"rule 3", "", "build unsupported"},
	{"rule 3", "a kind of tomorrow", "build unsupported"},
	{"rule 3 before 4", "unsupported, no record", "build unsupported"},

	{"S4", "table, empty run", "build no_history"},
	{"S4", "view, empty run", "build no_history"},
	{"S4", "test, empty run", "build no_history"},

	{"rule 4", "table, no record", "build no_history"},
	{"rule 4", "view, no record", "build no_history"},
	{"rule 4", "test, no record", "build no_history"},
	{"rule 4 before 5", "table, no record, relation missing", "build no_history"},
	{"S1", "test, no recorded outcome", "build no_history"},
	{"S1", "test, recorded error", "build no_history"},
	{"S22", "test, recorded fail", "reuse no_new_data"},
	{"S22", "test, recorded warn", "reuse no_new_data"},
	{"S3", "table, no recorded target", "build no_history"},
	{"S3", "view, no recorded target", "build no_history"},
	{"S3", "seed, reads nothing, neither target", "build no_history"},
	{"S5", "table, built at an unknown time", "build no_history"},
	{"S5", "table, built now", "reuse no_new_data"},
	{"S5", "table, built in the future", "build no_history"},
	{"S5", "table, built in the future, lag 11h", "build no_history"},
	{"S5", "view, built in the future", "build no_history"},
	{"S5", "test, built in the future", "build no_history"},
	{"S5", "table, clock unknown", "build no_history"},

	{"rule 5", "table, relation missing", "build relation_missing"},
	{"rule 5", "table, relation unseen", "build relation_missing"},
	{"rule 5", "view, relation missing", "build relation_missing"},
	{"rule 5", "test, relation missing", "build relation_missing"},
	{"rule 5 before 6", "table, relation missing, code differs", "build relation_missing"},
	{"rule 5 before 8", "table, relation missing, target unknown", "build relation_missing"},

	{"rule 6", "table, code differs", "build code_changed"},
	{"rule 6", "table, code unknown", "build code_changed"},
	{"rule 6", "view, code differs", "build code_changed"},
	{"rule 6", "seed, code differs", "build code_changed"},
	{"rule 6", "test, code differs", "build code_changed"},
	{"rule 6", "table, hash version differs", "build code_changed"},
	{"rule 6", "table, hash versions unknown", "build code_changed"},
	{"rule 6", "table, hash version differs, compare unrendered", "build code_changed"},
	{"rule 6", "table, unrendered differs", "reuse no_new_data"},
	{"rule 6", "table, code differs, compare unrendered", "reuse no_new_data"},
	{"rule 6", "table, unrendered differs, compare unrendered", "reuse no_new_data"},
	{"rule 6", "table, unrendered unknown, compare unrendered", "reuse no_new_data"},
	{"rule 6", "table, code differs, unrendered differs, compare unrendered", "build code_changed"},
	{"rule 6", "table, code differs, unrendered unknown, compare unrendered", "build code_changed"},
	{"rule 6", "table, code unknown, unrendered differs, compare unrendered", "build code_changed"},
	{"rule 6 before 7", "table, code differs, config differs", "build code_changed"},

	{"rule 7", "table, config differs", "build config_changed"},
	{"rule 7", "table, config unknown", "build config_changed"},
	{"rule 7", "view, config differs", "build config_changed"},
	{"rule 7", "test, config differs", "build config_changed"},
	{"rule 7 before 8", "table, config differs, target differs", "build config_changed"},

	{"rule 8", "table, target differs", "build target_modified"},
	{"rule 8", "incremental, target differs", "build target_modified"},
	{"rule 8", "view, target differs", "build target_modified"},
	{"rule 8", "seed, target differs", "build target_modified"},
	{"rule 8", "snapshot, target differs", "build target_modified"},
	{"rule 8", "test, target differs", "reuse no_new_data"},
	{"S17", "table, target unknown", "build target_modified"},
	{"S17", "view, target unknown", "build target_modified"},
	{"rule 8 before 9", "view, target differs, select star", "build target_modified"},
	{"rule 8 before 11", "table, target differs, a unknown", "build target_modified"},

	{"rule 9", "view, select star", "build select_star_view"},
	{"rule 9", "table, select star", "reuse no_new_data"},
	{"rule 9", "test, select star", "reuse no_new_data"},
	{"rule 9 before 10", "view, select star, columns of a differ", "build select_star_view"},

	{"S6", "table, reads itself", "build unknown_upstream"},
	{"S6", "incremental, reads itself", "reuse no_new_data"},
	{"S6", "snapshot, reads itself", "reuse no_new_data"},
	{"S6", "table, reads nothing", "reuse no_new_data"},
	{"S6", "test, reads nothing", "reuse no_new_data"},
	{"S6", "table, reads nothing, all", "reuse no_new_data"},
	{"S6", "table, reads nothing, lineage unknown", "build unknown_upstream"},

	{"S7", "view, lineage unknown", "build unknown_upstream"},
	{"S7", "view, hooks unknown", "build unknown_upstream"},
	{"S7", "table, hooks unknown", "build unknown_upstream"},
	{"S7", "test, hooks unknown", "build unknown_upstream"},
	{"S7 before 11", "table, hooks unknown, lag 11h", "build unknown_upstream"},
	{"S7", "view, a unknown", "build unknown_upstream"},
	{"S7", "view, opaque:read_csv", "build unknown_upstream"},
	{"S7", "view, a not in the record", "build unknown_upstream"},
	{"S7", "view, a differs", "build new_upstream_data"},
	{"S7", "view, a the same", "reuse view_unchanged"},
	{"S7", "view, volatile:always unknown", "build volatile_sql"},
	{"S7", "view, volatile:date differs", "build volatile_sql"},
	{"S7", "view, volatile:date the same", "reuse view_unchanged"},
	{"S7", "view, hook reads view v", "build upstream_code_changed"},

	{"S18", "view, columns of a differ", "build upstream_code_changed"},
	{"S18", "view, columns of a unknown", "build upstream_code_changed"},
	{"S18", "view, columns not read", "build upstream_code_changed"},
	{"S18", "view, columns not recorded", "build upstream_code_changed"},
	{"S18", "view, columns not read, columns not recorded", "build upstream_code_changed"},
	{"S18", "view, columns of b new", "build upstream_code_changed"},
	{"S18", "view, columns of b gone", "build upstream_code_changed"},
	{"S18", "view, reads no relation", "reuse view_unchanged"},
	{"S18", "view, views bind anew", "reuse view_unchanged"},

	{"rule 10", "view, c no longer read", "reuse view_unchanged"},
	{"rule 10", "view, view w no longer read", "reuse view_unchanged"},

	{"rule 11", "table, a unknown", "build unknown_upstream"},
	{"rule 11", "table, a never known", "build unknown_upstream"},
	{"rule 11", "table, opaque:read_csv", "build unknown_upstream"},
	{"rule 11", "table, opaque:read_csv, all", "build unknown_upstream"},
	{"rule 11", "table, opaque:read_csv, lag 11h", "build unknown_upstream"},
	{"rule 11", "table, view v unknown", "build unknown_upstream"},
	{"rule 11", "test, view v unknown", "build unknown_upstream"},
	{"rule 11", "test, a unknown", "build unknown_upstream"},
	{"S9", "table, view v undefined", "build unknown_upstream"},
	{"rule 11 before 12", "table, a unknown, view v differs", "build unknown_upstream"},
	{"rule 11 before 15", "table, a unknown, volatile:always unknown", "build unknown_upstream"},

	{"rule 12", "table, view v differs", "build upstream_code_changed"},
	{"rule 12", "test, view v differs", "build upstream_code_changed"},
	{"rule 12", "table, view v not in record", "build upstream_code_changed"},
	{"rule 12", "table, view w no longer read", "build upstream_code_changed"},
	{"rule 12", "table, ephemeral v", "reuse no_new_data"},
	{"rule 12", "table, ephemeral v, view v differs", "build upstream_code_changed"},
	{"rule 12", "table, view v differs, lag 11h", "build upstream_code_changed"},
	{"S9", "table, view v redefined", "build upstream_code_changed"},
	{"rule 12 before S3", "table, view v differs, a not in the record", "build upstream_code_changed"},

	{"S3", "table, a not in the record", "build unknown_upstream"},
	{"S3", "table, a not in the record, all", "build unknown_upstream"},
	{"S3", "table, a not in the record, lag 11h", "build unknown_upstream"},
	{"S3", "table, a recorded as unknown, all", "build unknown_upstream"},
	{"S3", "test, a not in the record", "build unknown_upstream"},
	{"S3", "table, c no longer read", "build unknown_upstream"},

	{"S24", "table, volatile:date the same", "reuse no_new_data"},
	{"S24", "table, volatile:date differs", "build volatile_sql"},
	{"S24", "table, volatile:date unknown, lag 11h", "build volatile_sql"},
	{"S24", "table, volatile:date new, lag 11h", "build volatile_sql"},
	{"S24", "table, volatile:date ignored", "reuse no_new_data"},
	{"S24", "table, volatile:always unknown", "build volatile_sql"},
	{"S24", "table, volatile:always unknown, all", "build volatile_sql"},
	{"S24", "table, volatile:always unknown, lag 11h", "build volatile_sql"},
	{"S24", "table, volatile:always unknown, a differs", "build new_upstream_data"},
	{"S24", "test, volatile:always unknown", "build volatile_sql"},
	{"S24", "seed, reads nothing, no recorded target", "build no_history"},

	{"rule 13, any", "table, a differs", "build new_upstream_data"},
	{"rule 13, any", "table, a restored", "build new_upstream_data"},
	{"rule 13, any", "table, a differs, b differs", "build new_upstream_data"},
	{"rule 13, all", "table, all", "reuse no_new_data"},
	{"rule 13, all", "table, all, a differs", "reuse no_new_data"},
	{"rule 13, all", "table, all, a differs, b differs", "build new_upstream_data"},
	{"rule 13, all", "test, all, a differs", "reuse no_new_data"},
	{"rule 13, all", "table, all, volatile:date differs", "reuse no_new_data"},
	{"rule 13, all", "table, all, volatile:date the same, a differs, b differs", "build new_upstream_data"},

	{"rule 14", "table, a differs, lag 11h", "reuse within_lag_tolerance"},
	{"rule 14", "incremental, a differs, lag 11h", "reuse within_lag_tolerance"},
	{"rule 14", "snapshot, a differs, lag 11h", "reuse within_lag_tolerance"},
	{"rule 14, age one less", "table, a differs, lag 10h and 1 ms", "reuse within_lag_tolerance"},
	{"rule 14, age equal", "table, a differs, lag 10h", "build new_upstream_data"},
	{"rule 14", "table, a differs, built now, lag 0", "build new_upstream_data"},
	{"rule 14", "table, a differs, built now, lag below 0", "build new_upstream_data"},
	{"rule 14", "table, volatile:date differs, lag 11h", "reuse within_lag_tolerance"},
	{"rule 14", "table, all, a differs, b differs, lag 11h", "reuse within_lag_tolerance"},
	{"rule 14 not for tests", "test, a differs, lag 11h", "build new_upstream_data"},
	{"rule 13 before 14", "table, lag 11h", "reuse no_new_data"},

	{"rule 15", "test, a differs", "build new_upstream_data"},
	{"rule 15", "table, a differs, volatile:date differs", "build new_upstream_data"},
}

func TestDecide(t *testing.T) {
	for _, c := range cases {
		t.Run(c.rule+"/"+c.input, func(t *testing.T) {
			in, asked := parse(t, c.input)
			if got := show(decide(asked, &in)); got != c.want {
				t.Errorf("%s: %s: got %s, want %s", c.rule, c.input, got, c.want)
			}
		})
	}
}

// TestAllOfVolatileOnly: require_fresh_data_from all, where the node reads nothing but the date.
func TestAllOfVolatileOnly(t *testing.T) {
	in, _ := parse(t, "table, reads nothing, all")
	in.Record.Upstreams = map[string]Version{}
	set(&in, "volatile:date", "2026-10-19", "2026-10-20")
	if got := show(Decide(in)); got != "build volatile_sql" {
		t.Errorf("the date moved on: got %s", got)
	}
	set(&in, "volatile:date", "2026-10-20", "2026-10-20")
	if got := show(Decide(in)); got != "reuse no_new_data" {
		t.Errorf("the date stands: got %s", got)
	}
}

// TestEveryRuleIsNeeded takes each rule out in turn: some case must then come out another way, or no test would miss the rule.
func TestEveryRuleIsNeeded(t *testing.T) {
	for i, out := range rules {
		rest := append(append([]rule{}, rules[:i]...), rules[i+1:]...)
		missed := func() (missed bool) {
			defer func() { missed = missed || recover() != nil }() // without rule 4, the rules after it meet no record
			for _, c := range cases {
				in, _ := parse(t, c.input)
				if show(decide(rest, &in)) != c.want {
					return true
				}
			}
			return false
		}()
		if !missed {
			t.Errorf("no case fails without %s", out.name)
		}
	}
}

// TestZeroInputBuilds: what is not filled in is not known.
func TestZeroInputBuilds(t *testing.T) {
	if d := Decide(Input{}); d.Action != Build {
		t.Errorf("got %s", show(d))
	}
	if d := Decide(Input{Kind: KindTable}); d.Action != Build {
		t.Errorf("got %s", show(d))
	}
}

func TestEvidence(t *testing.T) {
	tests := []struct {
		input string
		want  []Evidence
	}{
		{"table, full refresh", nil},
		{"table, code differs", []Evidence{{"code_hash", "code", "other"}}},
		{"table, hash version differs", []Evidence{{"hash_version", "1", "2"}}},
		{"table, code differs, unrendered differs, compare unrendered",
			[]Evidence{{"code_hash", "code", "other"}, {"unrendered_hash", "unrendered", "other"}}},
		{"table, config differs", []Evidence{{"config_hash", "config", "other"}}},
		{"table, relation missing", []Evidence{{"relation", "present", "missing"}}},
		{"table, target differs", []Evidence{{"target", "target", "other"}}},
		{"table, target unknown", []Evidence{{"target", "target", ""}}},
		{"table, a unknown", []Evidence{{"upstream a", "1", ""}}},
		{"table, a not in the record", []Evidence{{"upstream a", "", "1"}}},
		{"table, c no longer read", []Evidence{{"upstream c", "1", ""}}},
		{"table, view v differs", []Evidence{{"view v", "code", "other"}}},
		{"table, view v redefined", []Evidence{{"definition v", "definition", "other"}}},
		{"view, columns of a differ", []Evidence{{"columns a", "columns", "other"}}},
		{"table", []Evidence{{"upstream a", "1", "1"}, {"upstream b", "1", "1"}}},
		{"table, all, b differs", []Evidence{{"upstream a", "1", "1"}, {"upstream b", "1", "2"}}},
		{"table, b differs", []Evidence{{"upstream b", "1", "2"}}},
		{"table, b differs, lag 11h", []Evidence{{"upstream b", "1", "2"},
			{"built_at_ms", "1764000000", "1800000000"}, {"lag_tolerance_ms", "", "39600000"}}},
		{"table, built in the future", []Evidence{{"built_at_ms", "1800000001", "1800000000"}}},
		{"table, clock unknown", []Evidence{{"built_at_ms", "1764000000", ""}}},
	}
	for _, c := range tests {
		in, _ := parse(t, c.input)
		if got := Decide(in).Evidence; !(len(got) == 0 && len(c.want) == 0) && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %v\nwant %v", c.input, got, c.want)
		}
	}
}
