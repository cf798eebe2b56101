package versions

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

// TestOperations30to32Fingerprint: three rows of what was seen going wrong elsewhere. 30: hash() differs between releases of DuckDB, so the token names the
// release, and an upgrade costs one build. 31: the order of rows differs between machines and settings, so it does not enter. 32: functions of
// extensions keep state, so none is used: every function is one of system.main, and no extension is loaded by the way.
func TestOperations30to32Fingerprint(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		loaded := func() string {
			a, err := w.host.Query(ctx, "select string_agg(extension_name, ',' order by 1) from duckdb_extensions() where loaded")
			if err != nil {
				t.Fatal(err)
			}
			return *a.Rows[0][0]
		}
		before := loaded()
		w.exec("create table ordered as select i as id, 'x' || i as v from range(50000) r(i)")
		token := w.reader.Rows(ctx, inMain("ordered"), "")
		release, err := w.host.Query(ctx, "select version()")
		if err != nil || !strings.HasPrefix(string(token), *release.Rows[0][0]+":") {
			t.Errorf("token %q does not name the release, %v", token, err)
		}
		w.exec("create table other as select * from ordered order by hash(id)", "drop table ordered", "alter table other rename to ordered", "set threads = 1")
		w.fresh()
		if v := w.reader.Rows(ctx, inMain("ordered"), ""); v != token {
			t.Errorf("in another order, by another number of threads: %q, then %q", token, v)
		}
		for _, statement := range w.sent {
			for _, call := range regexp.MustCompile(`([a-z_.]+)\(`).FindAllStringSubmatch(statement, -1) {
				if name := call[1]; strings.Contains(name, "hash") && !strings.HasPrefix(name, "system.main.") {
					t.Errorf("%s is called in %.200s", name, statement)
				}
			}
		}
		if now := loaded(); now != before {
			t.Errorf("extensions loaded: %s, then %s", before, now)
		}
	})
}
