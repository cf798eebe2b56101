//go:build spark

package soundness

import (
	"os"
	"sort"
	"strings"
	"testing"

	"hodor/grammar"
	"hodor/internal/sparktest"
	"hodor/normalize"
)

// onSpark is Spark with a session for each set of tables.
type onSpark struct {
	t        *testing.T
	sessions []*sparktest.Session
}

func newOnSpark(t *testing.T) *onSpark {
	e := &onSpark{t: t}
	for range sparkDatabases {
		s := sparktest.Get(t)
		s.Exec(t, "SET TIME ZONE 'UTC'")
		e.sessions = append(e.sessions, s)
	}
	return e
}

func (e *onSpark) fill(seed uint64) {
	for n, s := range e.sessions {
		s.Exec(e.t, sparkScript(seed, n)...)
	}
}

func (e *onSpark) run(n int, query string) outcome {
	r, err := e.sessions[n].Run(e.t.Context(), query)
	if err != nil {
		return outcome{err: err.Error()}
	}
	var columns, lines []string
	for i, name := range r.Columns {
		columns = append(columns, name+" "+r.Types[i])
	}
	for _, row := range r.Rows {
		var line []string
		for _, v := range row {
			if v == nil {
				line = append(line, "NULL")
			} else {
				line = append(line, "="+*v)
			}
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	sort.Strings(lines)
	return outcome{columns: strings.Join(columns, ", "), rows: strings.Join(lines, "\n")}
}

func sparkText(seed, spelling uint64, mutate int) (string, int) {
	g := &generator{spark: true, style: source{seed: mix(seed*31 + spelling)}, spell: spelling > 0, mutate: mutate}
	query, _ := g.query(&source{seed: mix(seed)}, nil, 2)
	return query, g.drawn
}

func sparkHash(query string) normalize.Result {
	return normalize.Normalize(query, normalize.Options{Dialect: normalize.DialectDatabricks})
}

// sparkRelatives are texts that may have the hash of a query; see relatives.
func sparkRelatives(seed uint64, base string, decisions int) []string {
	var others []string
	for spelling := uint64(1); spelling <= 2; spelling++ {
		other, _ := sparkText(seed, spelling, 0)
		others = append(others, other)
	}
	for k := range uint64(5) {
		other, _ := sparkText(seed, 0, 1+int(mix(seed*7+k)%uint64(decisions)))
		others = append(others, other)
	}
	for i := range others {
		if others[i] == base {
			others[i] = ""
		}
	}
	return others
}

// sparkKnownLimit: the one known exception to the law (docs/limits.md), as Spark says it.
const sparkKnownLimit = "INVALID_EXTRACT"

// sparkDiffer is differ on Spark.
func (e *onSpark) differ(first []outcome, base, other string) (int, outcome) {
	for n := range first {
		if first[n].err != "" {
			continue
		}
		got := e.run(n, other)
		if got == first[n] || strings.Contains(got.err, sparkKnownLimit) || e.run(n, base) != first[n] {
			continue
		}
		return n, got
	}
	return -1, outcome{}
}

func (e *onSpark) runAll(query string) (all []outcome, runs bool) {
	for n := range e.sessions {
		all = append(all, e.run(n, query))
		runs = runs || all[n].err == ""
	}
	return all, runs
}

// TestSparkEqualHashesMeanEqualResults is the soundness law in Databricks' dialect, executed on Spark.
func TestSparkEqualHashesMeanEqualResults(t *testing.T) {
	want := 60
	if os.Getenv("HODOR_SOUNDNESS_PAIRS") != "" {
		want = pairsWanted(t)
	}
	e := newOnSpark(t)
	pairs, ran, queries, respelled, merged := 0, 0, 0, 0, 0
	for seed := firstSeed(); pairs < want; seed++ {
		if queries > want*20+100 {
			t.Fatalf("only %d pairs after %d queries", pairs, queries)
		}
		if seed == firstSeed() || seed%perSchema == 0 {
			e.fill(seed / perSchema)
		}
		base, decisions := sparkText(seed, 0, 0)
		queries++
		r := sparkHash(base)
		if r.Level == normalize.LevelText {
			if _, runs := e.runAll(base); runs {
				t.Errorf("seed %d runs and does not parse: %v\n%s", seed, r.Error, base)
			}
			continue
		}
		others := map[string]string{}
		for i, other := range sparkRelatives(seed, base, decisions) {
			if other == "" {
				continue
			}
			respelled += btoi(i < 2)
			if sparkHash(other).CodeHash == r.CodeHash {
				merged += btoi(i < 2)
				others[other] = "a text of equal hash"
			}
		}
		if r.Normalized != base {
			others[r.Normalized] = "its canonical text"
		}
		first, runs := e.runAll(base)
		if !runs {
			continue
		}
		ran++
		for other, what := range others {
			pairs++
			if n, got := e.differ(first, base, other); n >= 0 {
				t.Errorf("seed %d, session %d: the query and %s differ\n--- query\n%s\n%s\n--- other\n%s\n%s", seed, n, what, base, show(first[n]), other, show(got))
			}
		}
		if t.Failed() && os.Getenv("HODOR_SOUNDNESS_ALL") == "" {
			return
		}
		if queries%50 == 0 {
			t.Logf("so far %d pairs of equal hash, up to seed %d", pairs, seed)
		}
	}
	t.Logf("%d queries, %d run, %d pairs of equal hash; %d of %d respellings merged", queries, ran, pairs, merged, respelled)
}

// TestSparkUnsoundPassesAreCaught: Spark shows that these passes break the law, too. It runs at size only.
func TestSparkUnsoundPassesAreCaught(t *testing.T) {
	if os.Getenv("HODOR_SOUNDNESS_PAIRS") == "" {
		t.Skip("make soundness-spark")
	}
	e := newOnSpark(t)
	alive := map[int]bool{}
	for i := range sparkUnsound {
		alive[i] = true
	}
	queries := 0
	for seed := firstSeed(); queries < 1500 && len(alive) > 0; seed++ {
		if seed == firstSeed() || seed%perSchema == 0 {
			e.fill(seed / perSchema)
		}
		base, decisions := sparkText(seed, 0, 0)
		sound := sparkHash(base).Normalized
		if sparkHash(base).Level == normalize.LevelText {
			continue
		}
		var first []outcome
		ran, runs := false, false
		breaks := func(other string) bool {
			if !ran {
				first, runs = e.runAll(base)
				ran = true
				queries += btoi(runs)
			}
			if !runs {
				return false
			}
			n, got := e.differ(first, base, other)
			return n >= 0 && !strings.Contains(got.err, "PARSE_SYNTAX_ERROR")
		}
		var others, theirs []string
		for i := range sparkUnsound {
			if !alive[i] {
				continue
			}
			u := &sparkUnsound[i]
			canonical := underIn(grammar.Databricks, sparkHash, u, base, sound)
			if canonical != "" && canonical != sound {
				if breaks(canonical) {
					delete(alive, i)
				}
				continue
			}
			if others == nil {
				for _, other := range sparkRelatives(seed, base, decisions) {
					if other != "" {
						others, theirs = append(others, other), append(theirs, sparkHash(other).Normalized)
					}
				}
			}
			for k, other := range others {
				if theirs[k] != sound && underIn(grammar.Databricks, sparkHash, u, other, theirs[k]) == canonical && breaks(other) {
					delete(alive, i)
					break
				}
			}
		}
	}
	for i := range alive {
		t.Errorf("not caught: %s", sparkUnsound[i].name)
	}
	t.Logf("%d of %d unsound passes caught by %d queries", len(sparkUnsound)-len(alive), len(sparkUnsound), queries)
}
