package lineage

import (
	"encoding/json"
	"os"
	"testing"

	"hodor/project"
)

// BenchmarkOf resolves the nodes of the fixture whose SQL dbt compiled, facts known already, views kept.
func BenchmarkOf(b *testing.B) {
	p, err := project.Load("../project/testdata/manifest_duckdb.json", "")
	if err != nil {
		b.Fatal(err)
	}
	raw, err := os.ReadFile("../project/testdata/compiled_duckdb.json")
	if err != nil {
		b.Fatal(err)
	}
	var sql compiled
	if err := json.Unmarshal(raw, &sql); err != nil {
		b.Fatal(err)
	}
	facts := map[string]Facts{}
	for id := range sql {
		facts[id], _ = sql.facts(p.Nodes[id], "duckdb")
	}
	r := NewResolver(p, Options{Dialect: "duckdb", Catalog: "shop", Schema: "main"}, compiledViews{sql, "duckdb"})
	b.ReportAllocs()
	for b.Loop() {
		for id, f := range facts {
			r.Of(p.Nodes[id], f)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(facts)), "ns/node")
}
