package grammar

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// probe is a statement that only the tests have; it refers to every production of the core.
type probe struct {
	Target Name         `parser:"'PROBE' @@"`
	Cols   []Ident      `parser:"( '(' @@ ( ',' @@ )* ')' )?"`
	Alias  *Alias       `parser:"@@?"`
	Check  Expr         `parser:"( 'CHECK' '(' @@ ')' )?"`
	Type   DataType     `parser:"( 'TYPE' @@ )?"`
	Note   *String      `parser:"( 'NOTE' @@ )?"`
	Query  *Query       `parser:"( 'USING' @@ )?"`
	Back   []SelectItem `parser:"( 'RETURNING' @@ ( ',' @@ )* )?"`
	End    bool         `parser:"@'END'?"`
}

var probeParser = sync.OnceValue(buildProduction[probe])

func parseProbe(t *testing.T, sql string, d Dialect) (x *probe, err error) {
	t.Helper()
	p := new(parser)
	p.open(sql, d)
	defer func() {
		p.close()
		if r := recover(); r != nil {
			err = r.(*ParseError)
		}
	}()
	x = runProduction(p, probeParser())
	if !p.at(kEOF) {
		p.failEnd()
	}
	return x, nil
}

func TestProductionsCrossOver(t *testing.T) {
	for _, d := range []Dialect{Databricks, DuckDB} {
		x, err := parseProbe(t, `probe a.b -- note
			(x, select) as q check (a + 1 > 2 /* c */) type decimal(10, 2) note 'it''s'
			using with c as (select 1 as a) select * from c where a in (select 2)
			end`, d)
		if err != nil {
			t.Fatalf("%s: %v", d, err)
		}
		if len(x.Target.Parts) != 2 || len(x.Cols) != 2 || x.Alias.Name.Text != "q" || x.Check == nil || x.Type == nil ||
			x.Note.Value != "it's" || x.Query.With == nil || !x.End {
			t.Errorf("%s: %+v", d, x)
		}
	}
}

func TestProductionsReportTheTruePlace(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"probe a (x, y", "1:14: expected"},
		{"probe a check (1 + ) end", "1:20: expected an expression, found )"},
		{"probe a\nusing select a b c from t", "2:18: expected an operator, a comma or the end of the statement, found c"},
		{"probe a note 5", "1:14: expected"},
		{"probe a note 'x", "1:14: this string has no end"},
		{"probe a. (x)", "1:10: expected a name behind the dot, found ("},
	} {
		_, err := parseProbe(t, c.sql, DuckDB)
		if err == nil || !strings.HasPrefix(err.Error(), strings.SplitN(c.want, " expected \"", 2)[0]) {
			t.Errorf("%s\n\tgot  %v\n\twant %s", c.sql, err, c.want)
		}
	}
}

func TestProductionsAreConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				sql := "probe t" + strings.Repeat("x", i) + " using select a from u end"
				x, err := parseProbe(t, sql, Databricks)
				if err != nil || len(x.Target.Parts[0].Text) != i+1 {
					t.Errorf("%v %+v", err, x)
				}
			}
		})
	}
	wg.Wait()
}

// TestQueriesBuildNoProduction runs this test again in a process of its own, where nothing has been parsed yet: queries don't
// build participle's parsers, and a statement builds its own only.
func TestQueriesBuildNoProduction(t *testing.T) {
	if os.Getenv("HODOR_TEST_FRESH") == "" {
		again := exec.Command(os.Args[0], "-test.run=^TestQueriesBuildNoProduction$", "-test.v")
		again.Env = append(os.Environ(), "HODOR_TEST_FRESH=1")
		if out, err := again.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, d := range []Dialect{Databricks, DuckDB} {
		for _, sql := range []string{
			model(1), "(select 1) union all values (2) order by 1", "-- c\nwith a as (select 1) select * from a", "table t",
			"select 1; select 2", "select 1 frm", "select (", "select 'x", "from t",
		} {
			f, err := Parse(sql, d)
			if err == nil {
				Print(f, d)
				Walk(f, func(Node) bool { return true })
			}
		}
	}
	if n := productionsBuilt.Load(); n != 0 {
		t.Errorf("queries built %d parsers", n)
	}
	for range 2 {
		if _, err := Parse("delete from t where a in (select 1)", DuckDB); err != nil {
			t.Error(err)
		}
	}
	if n := productionsBuilt.Load(); n != 1 {
		t.Errorf("one kind of statement built %d parsers", n)
	}
}
