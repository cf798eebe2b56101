package normalize

import (
	"bufio"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite golden files")

const (
	testInvocation = "3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f"
	testStart      = "2026-10-20T04:12:00.123456+00:00"
)

// textVector is a line of testdata/text_hash.jsonl: either a run with its replacements, or a text of such a run.
type textVector struct {
	Run          string      `json:"run"`
	InvocationID string      `json:"invocation_id,omitempty"`
	RunStartedAt string      `json:"run_started_at,omitempty"`
	Replacements [][2]string `json:"replacements,omitempty"`
	Name         string      `json:"name,omitempty"`
	SQL          *string     `json:"sql,omitempty"`
	Replaced     string      `json:"replaced,omitempty"`
	TextHash     string      `json:"text_hash,omitempty"`
}

// TestTextHashVectors keeps the file that the plugin's tests replay too: its replacements, applied in one pass, and its hashes.
func TestTextHashVectors(t *testing.T) {
	const file = "testdata/text_hash.jsonl"
	if *update {
		writeVectors(t, file)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs := map[string]*Replacer{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var v textVector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if v.SQL == nil {
			runs[v.Run] = NewReplacer(v.InvocationID, v.RunStartedAt)
			if got := runs[v.Run].Pairs(); len(got) != len(v.Replacements) {
				t.Errorf("run %s: %d replacements, want %d", v.Run, len(got), len(v.Replacements))
			} else {
				for i := range got {
					if got[i] != v.Replacements[i] {
						t.Errorf("run %s: replacement %d is %q, want %q", v.Run, i, got[i], v.Replacements[i])
					}
				}
			}
			continue
		}
		n++
		replaced := runs[v.Run].Replace(*v.SQL)
		if replaced != v.Replaced {
			t.Errorf("%s: replaced to %q, want %q", v.Name, replaced, v.Replaced)
		}
		if simple := replaceByList(*v.SQL, runs[v.Run].Pairs()); simple != replaced {
			t.Errorf("%s: the list gives %q, the replacer %q", v.Name, simple, replaced)
		}
		if got := TextHash(replaced); got != v.TextHash {
			t.Errorf("%s: hash %s, want %s", v.Name, got, v.TextHash)
		}
	}
	if n < 20 {
		t.Errorf("only %d texts", n)
	}
}

// replaceByList is what docs/protocol.md asks of the host: at each place the first literal of the list that matches.
func replaceByList(text string, pairs [][2]string) string {
	var b strings.Builder
next:
	for i := 0; i < len(text); {
		for _, p := range pairs {
			if strings.HasPrefix(text[i:], p[0]) {
				b.WriteString(p[1])
				i += len(p[0])
				continue next
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

func writeVectors(t *testing.T, file string) {
	t.Helper()
	texts := []struct{ name, sql string }{
		{"empty", ""},
		{"nothing to replace", "select id from orders"},
		{"str", "select '2026-10-20 04:12:00.123456+00:00' as loaded_at"},
		{"isoformat", "select '2026-10-20T04:12:00.123456+00:00' as loaded_at"},
		{"cast", "select cast('2026-10-20 04:12:00.123456' as timestamp) as loaded_at, timestamp '2026-10-20 04:12:00' as b"},
		{"zulu", "select '2026-10-20T04:12:00Z', '2026-10-20T04:12:00.123Z', '2026-10-20 04:12:00 UTC'"},
		{"compact", "select 20261020041200 as a, '20261020_041200' as b, '20261020T041200Z' as c, '20261020041200123456' as d"},
		{"other formats", "select '20/10/2026 04:12:00', '10/20/2026 04:12:00', '2026/10/20 04:12:00', '2026-10-20-04-12-00', '2026-10-20 04:12:00 AM'"},
		{"ctime", "-- Tue Oct 20 04:12:00 2026\nselect 1"},
		{"epoch", "select 1792469520.123456, 1792469520, 1792469520123, 1792469520123456"},
		{"local time", "select '2026-10-20 06:12:00.123456+02:00', '2026-10-19T23:12:00-05:00', '2026-10-20 09:57:00'"},
		{"a date alone stays", "select '2026-10-20', '2026-10-20 04:12', '20261020', 20261020"},
		{"another moment stays", "select '2026-10-20 04:12:01', '2026-10-20 04:11:59.123456', '2026-10-20 04:12:0'"},
		{"another fraction keeps its own", "select '2026-10-20 04:12:00.5', '2026-10-20 04:12:00.123457'"},
		{"id", "select '3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f' as run"},
		{"id forms", "select '3F0C1D52-8C1E-4B6A-9D1B-0A1B2C3D4E5F', '3f0c1d528c1e4b6a9d1b0a1b2c3d4e5f', 3f0c1d52_8c1e_4b6a_9d1b_0a1b2c3d4e5f"},
		{"part of the id stays", "select '3f0c1d52', '3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5'"},
		{"side by side", "'2026-10-20 04:12:00.1234563f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5f2026-10-20 04:12:00'"},
		{"braces", "select '{{run_started_at:1us}}', '{', '{{', '{{{', '{2026-10-20 04:12:00', '{{2026-10-20 04:12:00'"},
		{"not ASCII", "select 'zażółć \U0001f600 2026-10-20 04:12:00' as \"größe\""},
		{"line ends and NUL", "select 1\r\n,\t2\x00"},
		{"long", strings.Repeat("select id, 'x' from orders union all\n", 40) + "select id, '2026-10-20 04:12:00' from orders"},
	}
	for _, n := range []int{1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 512, 1024, 1025, 5000} {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + (i*7+i/26)%26)
		}
		texts = append(texts, struct{ name, sql string }{"length " + itoa(n), string(b)})
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	runs := []textVector{
		{Run: "a", InvocationID: testInvocation, RunStartedAt: testStart},
		{Run: "none"},
	}
	for _, run := range runs {
		r := NewReplacer(run.InvocationID, run.RunStartedAt)
		run.Replacements = r.Pairs()
		if err := e.Encode(run); err != nil {
			t.Fatal(err)
		}
		for _, x := range texts {
			if run.Run == "none" && strings.HasPrefix(x.name, "length") {
				continue
			}
			replaced := r.Replace(x.sql)
			if err := e.Encode(textVector{Run: run.Run, Name: run.Run + ": " + x.name, SQL: &x.sql, Replaced: replaced, TextHash: TextHash(replaced)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestReplacementsOrder(t *testing.T) {
	for _, start := range []string{testStart, "2026-01-01T00:00:00+00:00", "2026-12-31 23:59:59.000001+00:00", "2026-02-02T02:02:02Z"} {
		pairs := Replacements(testInvocation, start)
		seen := map[string]bool{}
		for i, p := range pairs {
			if i > 0 && len(p[0]) > len(pairs[i-1][0]) {
				t.Errorf("%s: %q stands before the longer %q", start, pairs[i-1][0], p[0])
			}
			if seen[p[0]] {
				t.Errorf("%s: %q is twice in the list", start, p[0])
			}
			seen[p[0]] = true
			if len(p[0]) < 10 && p[0] != "{{" {
				t.Errorf("%s: %q is too short to be this run's alone", start, p[0])
			}
		}
	}
}

// S27: every form of this moment that dbt users write is found, and is the same text in another run.
func TestReplaceIsStableBetweenRuns(t *testing.T) {
	runs := []struct{ id, start string }{
		{testInvocation, "2026-10-20T14:12:00.123456+00:00"},
		{"7c9e6679-7425-40de-944b-e07fc1f90ae7", "2027-03-28T17:55:03.012300+00:00"},
	}
	forms := []string{
		"2006-01-02 15:04:05.000000-07:00", "2006-01-02T15:04:05.000000-07:00", "2006-01-02T15:04:05.000000Z", "2006-01-02 15:04:05.000000 UTC",
		"2006-01-02 15:04:05.000000", "2006-01-02 15:04:05.000", "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05+0000",
		"20060102150405", "20060102_150405", "20060102T150405", "2006/01/02 15:04:05", "02/01/2006 15:04:05", "Mon Jan _2 15:04:05 2006",
		"Mon, 02 Jan 2006 15:04:05 GMT", "02-Jan-2006 15:04:05", "Jan 02, 2006 15:04:05", "060102150405", "2006-01-02T150405Z", "2006.01.02 15:04:05",
	}
	for _, form := range forms {
		var texts []string
		for _, run := range runs {
			start, err := time.Parse(time.RFC3339Nano, run.start)
			if err != nil {
				t.Fatal(err)
			}
			sql := "select '" + start.Format(form) + "' as at, '" + run.id + "' as run"
			texts = append(texts, NewReplacer(run.id, run.start).Replace(sql))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: %q and %q", form, texts[0], texts[1])
		}
	}
	warsaw := func(id, start, local string) string { return NewReplacer(id, start).Replace("select '" + local + "'") }
	if a, b := warsaw(testInvocation, "2026-10-20T04:12:00.5+00:00", "2026-10-20 06:12:00.500000+02:00"),
		warsaw(testInvocation, "2026-10-21T04:13:00.25+00:00", "2026-10-21 06:13:00.250000+02:00"); a != b {
		t.Errorf("local times: %q and %q", a, b)
	}
	if a, b := warsaw(testInvocation, "2026-10-20T04:12:00.5+00:00", "20261020_061200"), warsaw(testInvocation, "2026-10-21T04:13:00.25+00:00", "20261021_061300"); a != b {
		t.Errorf("local times, compact: %q and %q", a, b)
	}
}

// Replacing must be one to one for a fixed run: two texts never become the same.
func TestReplaceTellsTextsApart(t *testing.T) {
	r := NewReplacer(testInvocation, testStart)
	seen := map[string]string{}
	parts := []string{"{", "}", "{{", "2026-10-20 04:12:00", "2026-10-20T04:12:00", "{{run_started_at:1}}", "run_started_at:1}}", "1792469520", "1", testInvocation, "."}
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				for _, d := range parts {
					text := a + b + c + d
					out := r.Replace(text)
					if other, ok := seen[out]; ok && other != text {
						t.Fatalf("%q and %q both become %q", other, text, out)
					}
					seen[out] = text
				}
			}
		}
	}
}

// A moment that is not the run's, and whatever is coarser than a second, is the user's own constant.
func TestReplaceLeavesConstants(t *testing.T) {
	r := NewReplacer(testInvocation, testStart)
	for _, text := range []string{"2026-10-20", "20261020", "2026-10-20 04", "2026-10-20 04:12", "202610200412", "2026-10", "20/10/2026", "Tue, 20 Oct 2026", "04:12:00", "04:12:00.123456",
		"2026-10-20 04:12:01", "2026-10-20T04:12:01", "20261020041201", "20261020_041201", "Tue, 20 Oct 2026 04:12:01", "20-Oct-2026 04:11:00", "261020041201", "2026-10-21 04:12:00",
		"1792469521", "3f0c1d52-8c1e-4b6a-9d1b", "3f0c1d52-8c1e-4b6a-9d1b-0a1b2c3d4e5e", "3f0c1d528c1e4b6a9d1b0a1b2c3d4e5e"} {
		if got := r.Replace("select '" + text + "' as k"); got != "select '"+text+"' as k" {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestFormsAreDocumented: docs/normalize.md shows every form, at its moment.
func TestFormsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/normalize.md")
	if err != nil {
		t.Fatal(err)
	}
	moment := time.Date(2026, 10, 7, 16, 5, 9, 0, time.UTC)
	for _, form := range clockForms {
		if sample := moment.Format(form.layout); !strings.Contains(string(doc), "`"+sample) {
			t.Errorf("docs/normalize.md lacks %s", sample)
		}
	}
}

func TestReplaceUnreadableStart(t *testing.T) {
	for _, start := range []string{"", "yesterday", "2026-10-20"} {
		if pairs := Replacements("", start); len(pairs) != 1 {
			t.Errorf("%q: %d pairs, want the one for braces", start, len(pairs))
		}
	}
	var none *Replacer
	if got := none.Replace("{{a}} 2026"); got != "{{{{a}} 2026" {
		t.Errorf("nil replacer: %q", got)
	}
}

func TestCodeHashParts(t *testing.T) {
	if CodeHash("duckdb", "text", "a") == CodeHash("duckdb", "parsed", "a") || CodeHash("duckdb", "text", "a") == CodeHash("databricks", "text", "a") {
		t.Error("dialect and level must enter the hash")
	}
	if CodeHash("ab", "c", "d") == CodeHash("a", "bc", "d") {
		t.Error("the parts must not run together")
	}
}

// The local times of the world are added without a look at what is there already: at no moment are two literals equal.
func TestReplacementsDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		start := time.UnixMicro(r.Int64N(4_000_000_000_000_000)).UTC()
		switch r.IntN(4) {
		case 0:
			start = start.Truncate(time.Hour)
		case 1:
			start = start.Truncate(time.Second)
		}
		seen := map[string]string{}
		for _, p := range Replacements(testInvocation, start.Format(time.RFC3339Nano)) {
			if other, twice := seen[p[0]]; twice {
				t.Fatalf("%s: %q is %s and %s", start, p[0], other, p[1])
			}
			seen[p[0]] = p[1]
		}
	}
}
