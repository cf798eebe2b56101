package versions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hodor/engine"
)

// One statement a table, one for the catalog, one for the release: whatever is asked, however often.
func TestStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec("create table a as select 1 as x", "create table b as select 2 as x", "create view v as select * from a")
		for range 3 {
			for _, name := range []string{"a", "b", "none"} {
				w.reader.Rows(context.Background(), inMain(name), "")
			}
			w.reader.Definition(context.Background(), inMain("v"))
		}
		if len(w.sent) != 5 || w.reader.Reads() != 4 {
			t.Errorf("%d statements, %d reads:\n%s", len(w.sent), w.reader.Reads(), strings.Join(w.sent, "\n"))
		}
		w.sent = nil
		w.reader.Invalidate(inMain("a"))
		w.reader.Rows(context.Background(), inMain("a"), "")
		w.reader.Rows(context.Background(), inMain("a"), "")
		w.reader.Rows(context.Background(), inMain("b"), "")
		if len(w.sent) != 2 {
			t.Errorf("after one invalidation %d statements:\n%s", len(w.sent), strings.Join(w.sent, "\n"))
		}
	})
}

func TestNames(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec(`attach ':memory:' as "Other ""Db"`, `create schema "Other ""Db"."S'x"`,
			`create table "Other ""Db"."S'x"."We""ird t" as select 1 as "a ""b", 2 as "hodor_t", {'hodor_t': 3} as "s"`,
			`create table BigOrders as select 1 as Id`, "create table \"\u00c9t\u00e9\" as select 1 as x", "create table \"\u00e9t\u00e9\" as select 2 as x",
			`create table plain as select 1 as x`, `create temp table plain as select 2 as x`, `create temp table onlytemp as select 1 as x`,
			`create view aview as select 1 as x`)
		known := func(r Relation) engine.Version { return w.reader.Rows(context.Background(), r, "") }
		if !known(rel(`OTHER "Db`, "s'X", `we"IRD T`)).Known() {
			t.Error("a name that needs quotes has no version")
		}
		if a, b := known(inMain("BigOrders")), known(inMain("bigorders")); a != b || !a.Known() {
			t.Errorf("the case of a name: %q, %q", a, b)
		}
		if a, b := known(inMain("\u00c9t\u00e9")), known(inMain("\u00e9t\u00e9")); a == b || !a.Known() || !b.Known() {
			t.Errorf("letters beyond ASCII in two cases are two tables: %q, %q", a, b)
		}
		hidden := known(inMain("plain"))
		w.exec("drop table temp.main.plain")
		w.fresh()
		if v := known(inMain("plain")); v != hidden || !v.Known() {
			t.Errorf("a temporary table of the same name: %q, without it %q", hidden, v)
		}
		for _, r := range []Relation{rel("main", "plain"), rel("plain"), rel("temp", "main", "onlytemp"), inMain("onlytemp"), inMain("aview"), inMain("none"),
			rel("none", "main", "plain"), rel("system", "information_schema", "tables"), {Key: "x"}} {
			if v := known(r); v.Known() {
				t.Errorf("%s has the version %s", r.Key, v)
			}
		}
		if w.reader.Definition(context.Background(), inMain("plain")).Known() {
			t.Error("a table has a view's definition")
		}
	})
}

func TestDefinition(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec("create table t as select 1 as x, 2 as y", "create view v as select x from t", "create view same as select x from t")
		first := w.reader.Definition(context.Background(), inMain("v"))
		if !first.Known() || !strings.HasPrefix(string(first), "view:") {
			t.Fatalf("got %q", first)
		}
		w.exec("create or replace view v as select x from t")
		w.reader.Invalidate(inMain("v"))
		if v := w.reader.Definition(context.Background(), inMain("v")); v != first {
			t.Errorf("the same definition made anew: %s, then %s", first, v)
		}
		w.exec("create or replace view v as select x from t where y > 1")
		if v := w.reader.Definition(context.Background(), inMain("v")); v != first {
			t.Error("read again without need")
		}
		w.reader.InvalidateAll()
		if v := w.reader.Definition(context.Background(), inMain("v")); v == first || !v.Known() {
			t.Errorf("another definition: %s, then %s", first, v)
		}
		w.exec("drop view v", "create table v as select 1 as x")
		w.reader.Invalidate(inMain("v"))
		if v := w.reader.Definition(context.Background(), inMain("v")); v.Known() {
			t.Errorf("a table where the view was: %s", v)
		}
	})
}

// User macros that bear the names of what the reader calls must not answer for it (S8); they are reported instead.
func TestS8UserFunctions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec("create table t as select 1 as x, 'a' as y, [1] as z")
		plain := w.reader.Rows(context.Background(), inMain("t"), "")
		s, err := w.reader.Session(context.Background())
		if err != nil || len(s.UserFunctions) != 0 {
			t.Fatalf("%v, %v", s, err)
		}
		date, session := w.reader.Volatile(context.Background(), "date"), w.reader.Volatile(context.Background(), "session")
		w.exec("create macro my_own(x) as x", `create macro "HASH"(a, b, c, d, e) as 7`, "create macro sum(x) as 7", "create macro count_star() as 7",
			"create macro encode(x) as 'x'", "create macro version() as 'v0'", "create macro epoch_ms(x) as 0", "create macro now() as 0",
			`create macro "||"(a, b) as 'x'`, `create macro "+"(a, b) as 7`, "create macro current_date() as '1999-01-01'", "create macro concat(a, b) as 'x'",
			"create macro lower(x) as 'x'", "create macro string_agg(a, b) as 'x'", "create macro strlen(x) as 1",
			"create macro duckdb_tables() as table select 1 as x", "create macro duckdb_settings() as table select 1 as x")
		w.fresh()
		if v := w.reader.Rows(context.Background(), inMain("t"), ""); v != plain {
			t.Errorf("macros changed the version from %s to %s", plain, v)
		}
		again, err := w.reader.Session(context.Background())
		if err != nil || again.Fingerprint != s.Fingerprint || again.Engine != s.Engine || again.NowMS < s.NowMS {
			t.Errorf("macros changed the session from %+v to %+v, %v", s, again, err)
		}
		if d := w.reader.Volatile(context.Background(), "date"); d != date {
			t.Errorf("macros changed the date from %s to %s", date, d)
		}
		if v := w.reader.Volatile(context.Background(), "session"); v != session {
			t.Errorf("macros changed the session's values from %s to %s", session, v)
		}
		for _, name := range []string{"hash", "sum", "||", "+", "lower", "my_own", "duckdb_tables"} {
			if !slices.Contains(again.UserFunctions, name) {
				t.Errorf("%s is not among %v", name, again.UserFunctions)
			}
		}
	})
}

func TestS19Fingerprint(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		fingerprint := func() string {
			t.Helper()
			w.fresh()
			s, err := w.reader.Session(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if len(w.sent) != 3 {
				t.Errorf("%d statements", len(w.sent))
			}
			return s.Fingerprint
		}
		first := fingerprint()
		for _, set := range []string{"threads = 3", "memory_limit = '2GB'", "temp_directory = '/nowhere'", "errors_as_json = true"} {
			w.exec("set global " + set)
			if fingerprint() != first {
				t.Errorf("%s counts", set)
			}
		}
		w.exec("set global errors_as_json = false")
		for _, set := range []string{"default_null_order = 'nulls_first'", "integer_division = true", "timezone = 'Asia/Tokyo'", "default_collation = 'nocase'",
			"ieee_floating_point_ops = false", "preserve_insertion_order = false"} {
			w.exec("set global " + set)
			now := fingerprint()
			if now == first {
				t.Errorf("%s does not count", set)
			}
			first = now
		}
	})
}

// TestS19Descending: only where the session sets it, ORDER BY a and ORDER BY a ASC are two things.
func TestS19Descending(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, order := range []string{"", "desc", "asc", "DESCENDING"} {
			if order != "" {
				w.exec("set global default_order = '" + order + "'")
			}
			w.fresh()
			s, err := w.reader.Session(context.Background())
			if want := strings.HasPrefix(strings.ToLower(order), "desc"); err != nil || s.Descending != want {
				t.Errorf("%q: descending %t, %v", order, s.Descending, err)
			}
		}
	})
}

// A type of the user's that was made anew changes what casts mean, though no table and no text has changed.
func TestS19TypesOfTheUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		fingerprint := func() string {
			t.Helper()
			w.fresh()
			s, err := w.reader.Session(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return s.Fingerprint
		}
		last := fingerprint()
		w.exec("create schema s", `create schema "odd "".s"`)
		if fingerprint() != last {
			t.Error("an empty schema counts")
		}
		for _, change := range []string{
			"create type mood as enum ('a', 'b')", "drop type mood; create type mood as enum ('b', 'a')", "create type s.mood as enum ('b', 'a')",
			"create type money as decimal(10, 2)", "drop type money; create type money as decimal(10, 4)", "create type json as varchar",
			"create type pair as struct(a int, b mood)", "drop type pair; create type pair as struct(b int, a mood)",
			`create type "odd "".s"."Ty""pe.x" as int[]`, `drop type "odd "".s"."Ty""pe.x"; create type "odd "".s"."Ty""pe.x" as bigint[]`, "drop type s.mood",
		} {
			w.exec(strings.Split(change, "; ")...)
			now := fingerprint()
			if now == last {
				t.Errorf("%s does not count", change)
			}
			if again := fingerprint(); again != now {
				t.Errorf("%s: two readings differ", change)
			}
			last = now
		}
	})
}

// S5, S24: the clock, and a day that is asked for again once midnight has passed.
func TestClockAndDate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		now := time.Now()
		w.reader.opt.Now = func() time.Time { return now }
		s, err := w.reader.Session(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if off := s.NowMS - now.UnixMilli(); off < -60_000 || off > 60_000 {
			t.Errorf("the clock is %d ms off", off)
		}
		w.sent = nil
		day := w.reader.Volatile(context.Background(), "date")
		if _, err := time.Parse(time.DateOnly, string(day)); err != nil {
			t.Errorf("the day: %v", err)
		}
		w.reader.Volatile(context.Background(), "date")
		if len(w.sent) != 1 {
			t.Errorf("%d statements for one day", len(w.sent))
		}
		now = now.Add(25 * time.Hour)
		w.sent = nil
		w.reader.Volatile(context.Background(), "date")
		if len(w.sent) != 1 {
			t.Errorf("%d statements after midnight", len(w.sent))
		}
		if v := w.reader.Volatile(context.Background(), "always"); v.Known() {
			t.Errorf("volatile:always has the value %s", v)
		}
		w.exec("set global timezone = 'Pacific/Kiritimati'")
		w.fresh()
		east := w.reader.Volatile(context.Background(), "date")
		session := w.reader.Volatile(context.Background(), "session")
		w.exec("set global timezone = 'Pacific/Niue'")
		w.fresh()
		west := w.reader.Volatile(context.Background(), "date")
		if east == west || !east.Known() || !west.Known() {
			t.Errorf("25 hours apart, but %q and %q", east, west)
		}
		if v := w.reader.Volatile(context.Background(), "session"); v == session || !v.Known() {
			t.Errorf("the time zone is not in volatile:session: %q", v)
		}
	})
}

func TestUnknownIsLoggedOnce(t *testing.T) {
	var lines []string
	opt := Options{Log: func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }}
	d := NewDuckDB(nil, opt)
	for range 3 {
		d.Rows(t.Context(), rel("t"), "")
		d.Definition(t.Context(), rel("v"))
	}
	if len(lines) != 2 || lines[0] != "version of t is unknown: "+errNotThree.Error() || lines[1] != "definition of v is unknown: "+errNotThree.Error() {
		t.Errorf("%q", lines)
	}
}

func TestFailuresAreUnknown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.exec("create table t as select 1 as x")
		if !w.reader.Rows(context.Background(), inMain("t"), "").Known() {
			t.Fatal("no version")
		}
		w.db.Close()
		w.fresh()
		if v := w.reader.Rows(context.Background(), inMain("t"), "v"); v.Known() {
			t.Errorf("without a warehouse: %s", v)
		}
		if v := w.reader.Definition(context.Background(), inMain("t")); v.Known() {
			t.Errorf("without a warehouse: %s", v)
		}
		if v := w.reader.Volatile(context.Background(), "date"); v.Known() {
			t.Errorf("without a warehouse: %s", v)
		}
		if _, err := w.reader.Session(context.Background()); err == nil {
			t.Error("without a warehouse a session")
		}
	})
}

// The list for users names every setting that does not count.
func TestHarmlessAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range harmless {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/versions.md does not list %s", name)
		}
	}
}
