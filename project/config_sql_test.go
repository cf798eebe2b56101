package project

import (
	"slices"
	"strings"
	"testing"

	"hodor/normalize"
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
		var got []string
		for _, sql := range node(t, loaded(t, m), aTable).ConfigSQL() {
			text, ok := strings.CutSuffix(sql, configRows)
			if !ok {
				t.Errorf("%s %v: %q has no rows", c.key, c.val, sql)
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %q, want %q", c.key, c.val, got, c.want)
		}
	}
}

// A name in such a text is a column of the rows at hand, not a session variable, which would be volatile.
func TestConfigSQLNamesAreColumns(t *testing.T) {
	for _, c := range []struct {
		key, val string
		want     []string
	}{
		{"incremental_predicates", "day >= '2026-01-03'", nil},
		{"incremental_predicates", "day >= date_sub(current_date(), 3)", []string{"current_date"}},
		{"incremental_predicates", "seen > 'now' -- and no later", []string{"now"}},
		{"replace_where", "day >= '2026-01-03' and exists (select 1 from raw.tick k where k.day = day)", nil},
		{"unique_key", "concat(id, '-', day)", nil},
		{"updated_at", "cast(changed as timestamp)", nil},
		{"fail_calc", "sum(n)", nil},
		{"error_if", "> (select n from t)", nil},
		{"not_matched_by_source_action", "update set gone = upper(state)", nil},
	} {
		m := small(t, aTable)
		at(t, m, "nodes", aTable, "config")[c.key] = c.val
		for _, sql := range node(t, loaded(t, m), aTable).ConfigSQL() {
			for _, d := range []string{"databricks", "duckdb"} {
				r := normalize.Normalize(sql, normalize.Options{Dialect: d})
				var got []string
				for _, call := range r.Facts.Volatile {
					got = append(got, call.Function)
				}
				if want := c.want; !slices.Equal(got, want) && (d == "databricks" || want == nil) || r.Level == normalize.LevelText {
					t.Errorf("%s %s: %q calls %q, want %q; %s", d, c.val, sql, got, want, r.Level)
				}
			}
		}
	}
}
