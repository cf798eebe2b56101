//go:build cgo

package duckdb

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"hodor/stores"
	"hodor/stores/sqlstore"
)

const nodes = 10_000

func ptr[T any](v T) *T { return &v }

// sample is a record of the size that real ones have.
func sample(day, i int64) stores.Record {
	hash := strings.Repeat("0123456789abcdef", 4)
	return stores.Record{
		RecordID: fmt.Sprintf("%08x-0000-4000-8000-%012x", day, i), InvocationID: fmt.Sprintf("day%d", day),
		RecordedAtMS: 1_792_465_200_000 + day*86_400_000 + i, ProjectName: "shop", TargetName: "dev", NodeKey: fmt.Sprintf("db.main.node_%05d", i),
		UniqueID: fmt.Sprintf("model.shop.node_%05d", i), ResourceType: "model", Mode: "on", Decision: "build", Reason: "new_upstream_data",
		Action: "build", Status: "success", TextHash: ptr(hash[:32]), CodeHash: &hash, ConfigHash: &hash, HashVersion: "1",
		SQLFacts: ptr(`{"dialect":"duckdb","tables":["` + strings.Repeat("db.main.some_table\",\"", 30) + `"]}`), DataVersion: &hash,
		BuiltAtMS: ptr(1_792_465_200_000 + day*86_400_000), BuildMS: ptr(int64(1000)),
		Upstreams: ptr(`{"upstreams":{"` + strings.Repeat("db.main.some_table\":\"7@1792465200000\",\"", 10) + `":""}}`), HodorVersion: "0.1.0",
	}
}

func samples(day int64) []stores.Record {
	list := make([]stores.Record, nodes)
	for i := range list {
		list[i] = sample(day, int64(i))
	}
	return list
}

// BenchmarkAppend writes the records of one run of 10,000 nodes, 200 at a time.
func BenchmarkAppend(b *testing.B) {
	s := bench(b)
	day := int64(0)
	for b.Loop() {
		day++
		list := samples(day)
		for len(list) > 0 {
			if err := s.Append(context.Background(), list[:200]); err != nil {
				b.Fatal(err)
			}
			list = list[200:]
		}
	}
}

// BenchmarkLoad reads the history of 10,000 nodes that were built on each of 90 days.
func BenchmarkLoad(b *testing.B) {
	for _, days := range []int64{1, 90} {
		b.Run(fmt.Sprintf("days=%d", days), func(b *testing.B) {
			s := bench(b)
			for day := range days {
				if err := s.Append(context.Background(), samples(day)); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			for b.Loop() {
				l, err := s.Load(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, 0)
				if err != nil || len(l.Records) != nodes || l.Rejected != 0 {
					b.Fatalf("%v, %v", l, err)
				}
			}
		})
	}
}

func bench(b *testing.B) *sqlstore.Store {
	s, err := Open(Options{Path: filepath.Join(b.TempDir(), "state.duckdb")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}
