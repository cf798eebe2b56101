package normalize

import "testing"

// S27: this run's values are volatile calls of kind always: stamps in an output column, deciding anywhere else.
func TestRunValuesAreVolatile(t *testing.T) {
	const ts, id = "2026-10-20 04:12:00.123456+00:00", testInvocation
	for _, c := range []struct{ dialect, sql, want string }{
		{DialectDuckDB, "select a, '" + ts + "' as loaded_at from t", "run_started_at always stamp"},
		{DialectDuckDB, "select a, cast('" + ts + "' as timestamp) as loaded_at, '" + id + "' as run from t", "run_started_at always stamp invocation_id always stamp"},
		{DialectDatabricks, "SELECT a, TIMESTAMP '" + ts + "' AS loaded_at FROM t", "run_started_at always stamp"},
		{DialectDuckDB, "select a, 20261020041200 as batch from t", "run_started_at always stamp"},
		{DialectDuckDB, "select a from t where ts < '" + ts + "'", "run_started_at always deciding"},
		{DialectDuckDB, "with s as (select a, '" + id + "' as run from t) select a from s where run <> 'x'", "invocation_id always deciding"},
		{DialectDuckDB, "select coalesce(ts, '" + ts + "') as k from t", "run_started_at always deciding"},
		{DialectDuckDB, "select a as \"run_" + id + "\" from t", "invocation_id always deciding"},
		{DialectDuckDB, "select {'" + id + "': 1} as k", "invocation_id always deciding"},
		{DialectDuckDB, "select a from tmp_3f0c1d52_8c1e_4b6a_9d1b_0a1b2c3d4e5f", "invocation_id always deciding"},
		{DialectDuckDB, "select a from 'x/" + id + ".csv'", "invocation_id always deciding"},
		{DialectDatabricks, "SELECT v:`" + id + "` AS k FROM t", "invocation_id always deciding"},
		{DialectDuckDB, "select a /* " + ts + " */ from t", ""},
	} {
		r := Normalize(c.sql, Options{Dialect: c.dialect, InvocationID: testInvocation, RunStartedAt: testStart})
		got := ""
		for _, v := range r.Facts.Volatile {
			if got != "" {
				got += " "
			}
			got += v.Function + " " + v.Kind + " " + v.Use
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.sql, got, c.want)
		}
	}
}

// The same text of another run has the same hashes; another form of the value has not.
func TestRunValuesInHashes(t *testing.T) {
	at := func(id, start, sql string) Result {
		return Normalize(sql, Options{Dialect: DialectDuckDB, InvocationID: id, RunStartedAt: start})
	}
	a := at(testInvocation, testStart, "select a, '2026-10-20 04:12:00' as loaded_at, 20261020041200 as batch from t")
	b := at("7c9e6679-7425-40de-944b-e07fc1f90ae7", "2026-11-02T23:59:59.5Z", "select a, '2026-11-02 23:59:59' as loaded_at, 20261102235959 as batch from t")
	c := at(testInvocation, testStart, "select a, '2026-10-20T04:12:00' as loaded_at, 20261020041200 as batch from t")
	if a.CodeHash != b.CodeHash || a.TextHash != b.TextHash {
		t.Errorf("another run is no change\n%s\n%s", a.Normalized, b.Normalized)
	}
	if a.CodeHash == c.CodeHash || a.TextHash == c.TextHash {
		t.Errorf("another form is a change\n%s", c.Normalized)
	}
}
