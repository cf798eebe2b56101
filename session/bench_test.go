package session

import (
	"context"
	"fmt"
	"testing"
)

// BenchmarkSettled is one settled node: text known, nothing new upstream, one call.
func BenchmarkSettled(b *testing.B) {
	w := newWorld(b)
	w.add("source.shop.raw", "table", "")
	w.tables["shop.main.raw"] = "6@raw"
	const nodes = 200
	for i := range nodes {
		w.add(fmt.Sprintf("model.shop.v%d", i), "view", `select id from "shop"."main"."raw"`, "source.shop.raw")
		w.add(fmt.Sprintf("model.shop.t%d", i), "table", fmt.Sprintf(`select id from "shop"."main"."v%d"`, i), fmt.Sprintf("model.shop.v%d", i))
	}
	w.run()
	r := w.begin()
	var reqs []DecideRequest
	for _, id := range w.order[1:] {
		reqs = append(reqs, DecideRequest{ID: id, TextHash: r.hash(id), Relation: w.relationType(w.nodes[id]), Pointer: true})
	}
	i := 0
	for b.Loop() {
		a, err := r.s.Decide(context.Background(), reqs[i%len(reqs)])
		if err != nil || a.Action != "reuse" {
			b.Fatalf("%s: %+v, %v", reqs[i%len(reqs)].ID, a, err)
		}
		i++
	}
}
