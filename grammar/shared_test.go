package grammar

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Cases with known answers lie beside the repository; without them these tests have nothing to do. What they found wrong is
// copied, in other words, into testdata.

const sharedFolder = "../../shared"

type sharedCase struct {
	ID          string `json:"id"`
	Dialect     string `json:"dialect"`
	SQL         string `json:"sql"`
	A, B        string
	Topic       string `json:"topic"`
	Why         string `json:"why"`
	Optional    bool   `json:"optional"`
	ByPEG       bool   `json:"accepted_by_newer_peg_parser"`
	Parses      *bool  `json:"parses"`
	SparkParses *bool  `json:"spark_parses"`
	Documented  bool   `json:"documented"`
	Newer       bool   `json:"newer"`
	PEG         bool   `json:"peg"`
	Error       string `json:"error"`
	Kind        string `json:"kind"`
}

func (c *sharedCase) dialect() Dialect {
	d, err := DialectOf(c.Dialect)
	if err != nil {
		panic(err)
	}
	return d
}

func readShared(t testing.TB, name string) []sharedCase {
	t.Helper()
	f, err := os.Open(filepath.Join(sharedFolder, name))
	if err != nil {
		t.Skip("no shared cases beside the repository")
	}
	defer f.Close()
	var out []sharedCase
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var c sharedCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// queryStart matches texts that start like a query; the others belong to the statements.
var queryStart = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/|\()*(select|with|from|values|table|pivot|unpivot|pivot_wider|pivot_longer|map|reduce)\b`)

var otherStatementWord = regexp.MustCompile(`(?i)\b(insert|update|delete|merge)\b`)

func isQueryText(sql string) bool {
	return queryStart.MatchString(sql) && !otherStatementWord.MatchString(sql)
}

type tally struct{ ok, n int }

func (y *tally) count(t *testing.T, ok bool, c *sharedCase, err error) {
	y.n++
	if ok {
		y.ok++
		return
	}
	if os.Getenv("HODOR_SHOW") != "" {
		t.Logf("%s %s: %v\n\t%s", c.ID, c.Why, err, strings.ReplaceAll(c.SQL, "\n", "\\n"))
	}
}

func (y *tally) share() float64 { return float64(y.ok) / float64(max(1, y.n)) }

func TestSharedAccept(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		var y tally
		for _, c := range readShared(t, "cases/accept.jsonl") {
			if c.dialect() != d || c.Optional || !isQueryText(c.SQL) {
				continue
			}
			_, err := Parse(c.SQL, d)
			y.count(t, err == nil, &c, err)
		}
		t.Logf("accept %s: %d of %d queries", d, y.ok, y.n)
		if y.ok < y.n {
			t.Errorf("%s: %d queries that must parse don't", d, y.n-y.ok)
		}
	}
}

func TestSharedReject(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		var y tally
		for _, c := range readShared(t, "cases/reject.jsonl") {
			if c.dialect() != d || c.ByPEG || !isQueryText(c.SQL) {
				continue
			}
			_, err := Parse(c.SQL, d)
			y.count(t, err != nil, &c, err)
		}
		t.Logf("reject %s: %d of %d queries", d, y.ok, y.n)
		if y.ok < y.n {
			t.Errorf("%s: %d queries that must be refused are not", d, y.n-y.ok)
		}
	}
}

func TestSharedPairs(t *testing.T) {
	for _, name := range []string{"cases/pairs.jsonl", "cases/facts.jsonl", "oracle/mutants.jsonl"} {
		var y tally
		for _, c := range readShared(t, name) {
			for _, sql := range []string{c.SQL, c.A, c.B} {
				if sql == "" || !isQueryText(sql) {
					continue
				}
				c.SQL = sql
				_, err := Parse(sql, c.dialect())
				y.count(t, err == nil, &c, err)
			}
		}
		t.Logf("%s: %d of %d queries", name, y.ok, y.n)
		if y.ok < y.n {
			t.Errorf("%s: %d queries that must parse don't", name, y.n-y.ok)
		}
	}
}

func TestSharedBugs(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(sharedFolder, "cases/bugs/*.sql"))
	if len(files) == 0 {
		t.Skip("no shared cases beside the repository")
	}
	part := regexp.MustCompile(`(?m)^-- ====.*$`)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		head, body, _ := strings.Cut(string(raw), "\n")
		d := Databricks
		if strings.Contains(head, "dialect: duckdb") {
			d = DuckDB
		}
		rejected := strings.Contains(head, "expect: rejected")
		for _, sql := range part.Split(body, -1) {
			sql = strings.TrimSpace(sql)
			if !isQueryText(sql) {
				continue
			}
			if _, err := Parse(sql, d); (err != nil) != rejected {
				t.Errorf("%s: %v\n\t%.200s", filepath.Base(name), err, sql)
			}
		}
	}
}

func TestSharedOracle(t *testing.T) {
	for _, o := range []struct {
		name     string
		d        Dialect
		accepted float64
	}{{"oracle/databricks.jsonl", Databricks, 0.995}, {"oracle/duckdb.jsonl", DuckDB, 0.99}} {
		var accept, reject tally
		for _, c := range readShared(t, o.name) {
			verdict := c.Parses
			if o.d == Databricks {
				verdict = c.SparkParses
			}
			want := verdict != nil && *verdict || c.Documented
			if !want && (c.Newer || c.PEG || !strings.HasPrefix(c.Error, "Parser Error") && !strings.HasPrefix(c.Error, "PARSE_SYNTAX")) {
				continue
			}
			if !isQueryText(c.SQL) {
				continue
			}
			_, err := Parse(c.SQL, o.d)
			if want {
				c.Why = "ACCEPT"
				accept.count(t, err == nil, &c, err)
			} else {
				c.Why = "REJECT " + c.Error
				reject.count(t, err != nil, &c, err)
			}
		}
		t.Logf("oracle %s: accept %d of %d, reject %d of %d", o.d, accept.ok, accept.n, reject.ok, reject.n)
		if accept.share() < o.accepted {
			t.Errorf("%s: %d of %d queries of the oracle parse", o.d, accept.ok, accept.n)
		}
		if reject.share() < 0.95 {
			t.Errorf("%s: %d of %d wrong queries of the oracle are refused", o.d, reject.ok, reject.n)
		}
	}
}
