package generated

import (
	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// count and seed of the models of each dialect.
const (
	count = 20
	seed  = 11
)

// Files are the texts by their names in the corpus.
func Files() map[string]string {
	out := map[string]string{}
	for _, d := range []grammar.Dialect{grammar.Databricks, grammar.DuckDB} {
		for _, t := range texts.Models(count, seed, d) {
			out[d.String()+"/generated/"+t.Name+".sql"] = t.SQL
		}
	}
	return out
}
