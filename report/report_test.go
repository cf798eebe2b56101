package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hodor/explain"
	"hodor/internal/statetest"
	"hodor/internal/terminal"
	"hodor/stores"
	"hodor/stores/memory"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func store(t *testing.T, records []stores.Record) *memory.Store {
	t.Helper()
	s := &memory.Store{}
	if err := s.Append(context.Background(), records); err != nil {
		t.Fatal(err)
	}
	return s
}

func ms(date string) int64 {
	t, err := time.Parse("2006-01-02", date)
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func collect(t *testing.T, s explain.Store, o Options) *Report {
	t.Helper()
	if o.UntilMS == 0 {
		o.UntilMS = ms("2026-11-03")
	}
	o.LookbackDays = 90
	r, err := Collect(context.Background(), s, statetest.Scope, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden compares with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	statetest.Golden(t, filepath.Join("testdata", name), got, *update)
}

func TestReportGolden(t *testing.T) {
	price := 4.5
	r := collect(t, store(t, statetest.Shop().Records), Options{SinceMS: ms("2026-10-01"), PricePerHour: &price})
	for width, name := range map[int]string{0: "report.txt", 80: "report.80.txt", 140: "report.140.txt"} {
		var b bytes.Buffer
		r.Print(&terminal.Screen{Writer: &b, Width: width})
		golden(t, name, b.Bytes())
		for line := range strings.Lines(b.String()) {
			if n := terminal.Len(strings.TrimRight(line, "\n")); width > 0 && n > width {
				t.Errorf("a line of %d characters on %d columns: %q", n, width, line)
			}
		}
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", append(raw, '\n'))
}

// What a reuse saved is what the last good build took, also where that lies before the window; a failed build is worth nothing.
func TestSaved(t *testing.T) {
	st := statetest.New("duckdb")
	n := statetest.Orders
	st.Run(1, "2026-10-01 04:00", "on")
	st.Build(&n, "no_history", 60_000, "1")
	st.Run(2, "2026-10-05 04:00", "on")
	st.Reuse(&n, "no_new_data")
	st.Run(3, "2026-10-06 04:00", "on")
	st.Build(&n, "new_upstream_data", 1_000, "", statetest.Status("error"))
	st.Run(4, "2026-10-07 04:00", "on")
	st.Reuse(&n, "no_new_data")
	st.Build(&n, "new_upstream_data", 50_000, "2")
	st.Reuse(&n, "no_new_data")
	r := collect(t, store(t, st.Records), Options{SinceMS: ms("2026-10-02")})
	if r.Totals != (Totals{Built: 2, Reused: 3, Failed: 1, SpentMS: 51_000, SavedMS: 170_000}) {
		t.Errorf("%+v", r.Totals)
	}
	if len(r.Days) != 3 || r.Days[0] != (Day{Date: "2026-10-05", Reused: 1, SavedMS: 60_000}) {
		t.Errorf("days %+v", r.Days)
	}
	if len(r.Nodes) != 1 || r.Nodes[0].LastAction != "reuse" || r.Nodes[0].Built != 2 {
		t.Errorf("node %+v", r.Nodes[0])
	}
}

// A node whose text differs on every run is named with the place in the present text; one that changed once is not.
func TestUnstable(t *testing.T) {
	stamped, steady := statetest.Stamped, statetest.Orders
	st := statetest.New("duckdb")
	sql := func(day string) string { return "select id,\n  '" + day + "' as batch, 7 as x from shop.main.orders" }
	for i, day := range []string{"2026-10-01", "2026-10-02", "2026-10-03"} {
		st.Run(i+1, day+" 04:00", "on")
		stamped.SQL = sql(day)
		st.Build(&stamped, "code_changed", 9_000, day)
		if i == 1 {
			steady.SQL += " and id > 0"
		}
		st.Build(&steady, "code_changed", 9_000, day)
	}
	target := t.TempDir()
	raw, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"invocation_id": statetest.Invocation(3), "invocation_started_at": "2026-10-03T04:00:00.000000Z"},
		"results":  []any{map[string]any{"unique_id": stamped.ID, "compiled_code": stamped.SQL}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target, "run_results.json"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	present, err := explain.ReadPresent(target)
	if err != nil {
		t.Fatal(err)
	}
	s := store(t, st.Records)
	r := collect(t, s, Options{SinceMS: ms("2026-10-01"), Present: present})
	if len(r.Unstable) != 1 || r.Unstable[0].UniqueID != stamped.ID || r.Unstable[0].Runs != 3 {
		t.Fatalf("%+v", r.Unstable)
	}
	if !slices.Equal(r.Unstable[0].Places, []explain.Place{{Text: "'2026-10-03'", Line: 2, Column: 3}}) {
		t.Errorf("places %+v, %s", r.Unstable[0].Places, r.Unstable[0].Note)
	}
	if r := collect(t, s, Options{SinceMS: ms("2026-10-01")}); len(r.Unstable[0].Places) != 0 || !strings.Contains(r.Unstable[0].Note, "--target-path") {
		t.Errorf("without a text: %+v", r.Unstable[0])
	}
	if r := collect(t, s, Options{SinceMS: ms("2026-10-02")}); len(r.Unstable) != 0 {
		t.Errorf("two runs are no habit: %+v", r.Unstable)
	}
}

// On Delta a table's new version proves nothing; an incremental model's does, and so does a DuckDB table's, whose version is its content.
func TestFalseReuses(t *testing.T) {
	for _, c := range []struct {
		dialect, kind string
		provable      bool
	}{
		{"duckdb", "table", true}, {"duckdb", "incremental", true}, {"databricks", "incremental", true}, {"databricks", "snapshot", true},
		{"databricks", "table", false}, {"databricks", "seed", false},
	} {
		st := statetest.New(c.dialect)
		n := statetest.Orders
		n.Kind = c.kind
		st.Run(1, "2026-10-01 04:00", "shadow")
		st.Build(&n, "no_history", 10, "1@1")
		st.Run(2, "2026-10-02 04:00", "shadow")
		st.Build(&n, "no_new_data", 10, "2@2", statetest.Decision("reuse"))
		list, err := FalseReuses(context.Background(), store(t, st.Records), statetest.Scope, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].Provable != c.provable || (list[0].Note == "") != c.provable || list[0].Then != "1@1" || list[0].Now != "2@2" {
			t.Errorf("%s %s: %+v", c.dialect, c.kind, list)
		}
	}
}

func TestEmpty(t *testing.T) {
	r := collect(t, store(t, nil), Options{SinceMS: ms("2026-10-01")})
	var b bytes.Buffer
	r.Print(&terminal.Screen{Writer: &b})
	if !strings.Contains(b.String(), "no records in this time") {
		t.Errorf("%s", &b)
	}
	raw, err := json.Marshal(r)
	if err != nil || regexp.MustCompile(`":null`).MatchString(strings.ReplaceAll(strings.ReplaceAll(string(raw), `"price_per_hour":null`, ""), `"saved_money":null`, "")) {
		t.Errorf("%s, %v", raw, err)
	}
}

// That a build began is no build.
func TestBegunIsNotCounted(t *testing.T) {
	list := statetest.Shop().Records
	want := collect(t, store(t, list), Options{SinceMS: ms("2026-10-01")})
	for _, r := range list {
		if r.Action == "build" {
			r.RecordID, r.Status, r.DataVersion = r.RecordID+"b", stores.Begun, nil
			list = append(list, r)
		}
	}
	if got := collect(t, store(t, list), Options{SinceMS: ms("2026-10-01")}); got.Totals != want.Totals || got.Runs != want.Runs {
		t.Errorf("%+v, want %+v", got.Totals, want.Totals)
	}
}
