package project

import (
	"os"
	"testing"
)

// BenchmarkLoad reads the manifest that HODOR_BENCH_MANIFEST names, or the fixture.
func BenchmarkLoad(b *testing.B) {
	path := os.Getenv("HODOR_BENCH_MANIFEST")
	if path == "" {
		path = "testdata/manifest_duckdb.json"
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Skip(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		p, err := Load(path, "")
		if err != nil {
			b.Fatal(err)
		}
		nodes = len(p.Nodes)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
}

// BenchmarkConfigHash hashes every node of the same manifest.
func BenchmarkConfigHash(b *testing.B) {
	path := os.Getenv("HODOR_BENCH_MANIFEST")
	if path == "" {
		path = "testdata/manifest_duckdb.json"
	}
	p, err := Load(path, "")
	if err != nil {
		b.Skip(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		h := p.NewHasher(Context{Vars: "v", Target: "t", Flags: "f"})
		for _, n := range p.Nodes {
			h.Config(n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(p.Nodes)), "ns/node")
}
