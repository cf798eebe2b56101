package project

import (
	"slices"
	"testing"
)

func TestConfigSQL(t *testing.T) {
	for _, c := range []struct {
		key  string
		val  any
		want []string
	}{
		{"unique_key", "id", nil},
		{"unique_key", []any{"id", "a.day"}, nil},
		{"updated_at", "changed_on", nil},
		{"updated_at", "current_date", []string{"select current_date"}},
		{"updated_at", "(select max(t) from raw.tick)", []string{"select (select max(t) from raw.tick)"}},
		{"incremental_predicates", []any{"DBT_INTERNAL_DEST.n > 5", "d > now()"}, []string{"select d > now()"}},
		{"dbt_valid_to_current", "date '9999-12-31'", []string{"select date '9999-12-31'"}},
		{"fail_calc", "count(*)", nil},
		{"fail_calc", "sum(n)", []string{"select sum(n)"}},
		{"warn_if", "!= 0", nil},
		{"error_if", "> (select n from t)", []string{"select 0 > (select n from t)"}},
		{"merge_clauses", object{"when_matched": []any{object{"action": "update", "condition": "f(x)"}}}, []string{"select f(x)"}},
		{"not_matched_by_source_action", "update set gone = true, at = current_timestamp()", []string{"select gone = true, at = current_timestamp()"}},
		{"partition_by", "year(day)", nil},
	} {
		m := small(t, aTable)
		at(t, m, "nodes", aTable, "config")[c.key] = c.val
		if got := node(t, loaded(t, m), aTable).ConfigSQL(); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.key, c.val, got, c.want)
		}
	}
}
