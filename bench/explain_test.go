//go:build cgo

package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hodor/explain"
	"hodor/internal/statetest"
	"hodor/stores"
	"hodor/stores/duckdb"
	"hodor/stores/sqlstore"
)

// A state of 1,000,000 records: 10,000 tables, each of which reads five others, over 100 days. A tenth of them is built each day.
const (
	tables = 10_000
	days   = 100
)

// million returns a store with it. HODOR_BENCH_STATE names a file to keep it in: making it takes minutes.
func million(b *testing.B) *sqlstore.Store {
	b.Helper()
	path := os.Getenv("HODOR_BENCH_STATE")
	if path == "" {
		path = filepath.Join(b.TempDir(), "state.duckdb")
	}
	_, err := os.Stat(path)
	s, openErr := duckdb.Open(duckdb.Options{Path: path, Hold: true})
	if openErr != nil {
		b.Fatal(openErr)
	}
	b.Cleanup(func() { _ = s.Close() })
	if err == nil {
		return s
	}
	st := statetest.New("duckdb")
	nodes := make([]statetest.Node, tables)
	for i := range nodes {
		nodes[i] = statetest.Node{ID: fmt.Sprintf("model.shop.node_%05d", i), Kind: "table", SQL: fmt.Sprintf("select a, b, %d as c from shop.main.node_%05d", i, i/2)}
		for j := range 5 {
			nodes[i].Reads = append(nodes[i].Reads, fmt.Sprintf("shop.main.node_%05d", (i*7+j*13)%(i+1)))
		}
	}
	for day := range days {
		st.Run(day+1, fmt.Sprintf("2026-%02d-%02d 04:00", 3+day/28, 1+day%28), "on")
		for i := range nodes {
			if day == 0 || (i+day)%10 == 0 {
				st.Build(&nodes[i], "new_upstream_data", 1000, fmt.Sprintf("v2.0.1:%d@%032x#%032x", 1000+day, day*tables+i, i))
			} else {
				st.Reuse(&nodes[i], "no_new_data")
			}
		}
		if err := s.Append(context.Background(), st.Records); err != nil {
			b.Fatal(err)
		}
		st.Records = st.Records[:0]
	}
	return s
}

// BenchmarkExplain asks about one node with its chain, about a whole run, and for a node's history.
func BenchmarkExplain(b *testing.B) {
	s, ctx := million(b), context.Background()
	ask := func(b *testing.B, o explain.Options) {
		o.LookbackDays = 90
		for b.Loop() {
			if a, err := explain.Explain(ctx, s, statetest.Scope, o); err != nil || len(a.Nodes) == 0 {
				b.Fatal(a, err)
			}
		}
	}
	b.Run("node", func(b *testing.B) { ask(b, explain.Options{Nodes: []string{"node_09990"}, Chain: true}) })
	b.Run("built", func(b *testing.B) {
		ask(b, explain.Options{Nodes: []string{fmt.Sprintf("node_%05d", tables-9)}, Chain: true})
	})
	b.Run("run", func(b *testing.B) { ask(b, explain.Options{}) })
	b.Run("earlier", func(b *testing.B) { ask(b, explain.Options{Invocation: statetest.Invocation(50)}) })
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			if p, err := explain.History(ctx, s, statetest.Scope, explain.PastOptions{Node: "node_00042"}); err != nil || len(p.Events) != days {
				b.Fatal(p, err)
			}
		}
	})
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			n := 0
			if err := s.Scan(ctx, statetest.Scope, stores.Query{}, func(*stores.Record) error { n++; return nil }); err != nil || n != tables*days {
				b.Fatal(n, err)
			}
		}
	})
}
