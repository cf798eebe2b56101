package normalize

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
)

// TestResultsAreTheirOwn: memory of an analysis serves later ones, in any order and side by side, and yet no result changes, neither one that is kept
// nor one that is asked for again.
func TestResultsAreTheirOwn(t *testing.T) {
	type text struct {
		sql     string
		options Options
		kept    Result
		shown   string
	}
	show := func(r Result) string {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	var texts []text
	for _, c := range readCases(t, "testdata/pairs.jsonl") {
		for _, sql := range []string{c.A, c.B, "WITH `x` AS (" + c.A + ") " + c.B, c.A + " UNION ALL " + c.B, c.A + " nonsense ("} {
			x := text{sql: sql, options: Options{Dialect: c.Dialect, Catalog: "shop", Schema: "main"}}
			x.kept = Normalize(x.sql, x.options)
			x.shown = show(x.kept)
			texts = append(texts, x)
		}
	}
	var all sync.WaitGroup
	for worker := range uint64(4) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(worker, 1))
			for _, i := range r.Perm(len(texts)) {
				if got := show(Normalize(texts[i].sql, texts[i].options)); got != texts[i].shown {
					t.Errorf("%s\nbefore %s\nnow    %s", texts[i].sql, texts[i].shown, got)
				}
			}
		})
	}
	all.Wait()
	for _, x := range texts {
		if got := show(x.kept); got != x.shown {
			t.Errorf("the result of %s became another one\nwas %s\nis  %s", x.sql, x.shown, got)
		}
	}
}
