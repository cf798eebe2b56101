package soundness

import (
	"encoding/json"
	"os"
	"testing"

	"hodor/normalize"
)

// sparkViews are the tables of the Databricks dialect, as temporary views, in two schemas.
var sparkViews = [][]string{
	{
		"create or replace temp view t as select * from values (1, 1, 'x', named_struct('a', 1, 'b', 'q', 'Id', 5), array(1, 2), map('a', 1, 'A', 2), 3), (2, null, 'Y', null, array(), map('z', 1), 1), (3, 3, 'it\\'s', named_struct('a', null, 'b', '', 'Id', 0), null, map('a', 7), 2) as t(id, a, b, s, l, m, x)",
		"create or replace temp view u as select * from values (1, 2, 1.50, 1, 'x'), (2, 2, null, 3, 'a\\nb'), (4, null, 0.25, null, null) as u(id, a, c, t, Nm)",
		"create or replace temp view v as select * from values (1, 2, date '2020-01-01', 'x', 4), (3, 3, null, 'Y', 1), (null, 1, date '2021-05-05', null, 0) as v(a, b, d, k, t1)",
		"create or replace temp view Odd as select * from values (1, 'x', 1, 2, 3), (2, 'y', null, 4, 1), (null, null, 3, 1, 2) as o(`Select`, `a b`, id, v, c1)",
	},
	{
		"create or replace temp view t as select * from values (3, 9, 1, 1, 'x', map('a', 1), array(2), named_struct('Id', 5, 'b', 'q', 'a', 1), 4), (1, 8, 2, null, 'Y', map('A', 3), array(), null, 5) as t(x, y, ID, A, B, m, l, s, k)",
		"create or replace temp view u as select * from values ('x', 1, 2.25, 2, 2, 1, 1), ('Y', 2, null, 1, 1, 2, 5), (null, null, 0.5, 7, null, 3, null) as u(Nm, t, c, id, a, b, x)",
		"create or replace temp view v as select * from values (1, 'x', date '2022-02-02', 1, 3, 2, 2), (2, 'it\\'s', null, 2, null, 1, 1) as v(t1, k, d, B, a, id, v)",
		"create or replace temp view Odd as select * from values (1, 2, 3, 'x', 1, 2, 3), (3, 2, 1, null, 2, 1, null) as o(c1, v, `Select`, `a b`, Id, a, t)",
	},
}

// TestWriteSparkPairs writes pairs of equal hash in the Databricks dialect to the file that HODOR_SPARK_PAIRS names, a JSON object a line, for
// a runner that compares them on Spark.
func TestWriteSparkPairs(t *testing.T) {
	file := os.Getenv("HODOR_SPARK_PAIRS")
	if file == "" {
		t.Skip("HODOR_SPARK_PAIRS names no file")
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := json.NewEncoder(f)
	n := 0
	for view := range sparkViews {
		for seed := firstSeed(); seed < firstSeed()+uint64(pairsWanted(t)); seed++ {
			base, decisions := sparkText(seed, 0, 0)
			r := sparkHash(base)
			if r.Level == normalize.LevelText {
				t.Errorf("seed %d does not parse: %v\n%s", seed, r.Error, base)
				continue
			}
			others := []string{r.Normalized}
			for spelling := uint64(1); spelling <= 2; spelling++ {
				other, _ := sparkText(seed, spelling, 0)
				others = append(others, other)
			}
			for k := 0; k < 4; k++ {
				other, _ := sparkText(seed, 0, 1+int(mix(seed*7+uint64(k))%uint64(decisions)))
				others = append(others, other)
			}
			for _, other := range others {
				if other == base || sparkHash(other).CodeHash != r.CodeHash {
					continue
				}
				n++
				if err := out.Encode(map[string]any{"id": n, "setup": sparkViews[view], "a": base, "b": other}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("%d pairs", n)
}

func sparkText(seed, spelling uint64, mutate int) (string, int) {
	g := &generator{spark: true, style: source{seed: mix(seed*31 + spelling)}, spell: spelling > 0, mutate: mutate}
	query, _ := g.query(&source{seed: mix(seed)}, nil, 2)
	return query, g.drawn
}

func sparkHash(query string) normalize.Result {
	return normalize.Normalize(query, normalize.Options{Dialect: normalize.DialectDatabricks})
}
