package explain

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"hodor/internal/statetest"
	"hodor/internal/terminal"
	"hodor/stores"
)

// The record that a build began is no build, and is shown only where its end was never recorded.
func TestBegun(t *testing.T) {
	s := shop(t)
	before := ask(t, s, Options{})
	began := func(r stores.Record) {
		r.RecordID, r.Action, r.Status, r.DataVersion, r.BuildMS, r.SQLFacts, r.Upstreams, r.TextHash, r.CodeHash = "began-"+r.InvocationID, "build", stores.Begun, nil, nil, nil, nil, nil, nil
		r.RecordedAtMS--
		if err := s.Append(context.Background(), []stores.Record{r}); err != nil {
			t.Fatal(err)
		}
	}
	var orders stores.Record
	for _, r := range statetest.Shop().Records {
		if r.InvocationID == before.Invocation && r.UniqueID == "model.shop.orders" {
			orders = r
		}
	}
	began(orders)
	if a := ask(t, s, Options{}); a.Built != before.Built || len(a.Nodes) != len(before.Nodes) {
		t.Errorf("%d built of %d, %d of %d without the record of its beginning", a.Built, len(a.Nodes), before.Built, len(before.Nodes))
	}

	orders.InvocationID, orders.RecordedAtMS = "killed", orders.RecordedAtMS+3600_000
	began(orders)
	a := ask(t, s, Options{})
	var b bytes.Buffer
	a.Print(&terminal.Screen{Writer: &b})
	if a.Invocation != "killed" || a.Built != 0 || !strings.Contains(b.String(), "BEGAN") || !strings.Contains(b.String(), "how that ended was never recorded") {
		t.Errorf("%d built:\n%s", a.Built, b.String())
	}
	p, err := History(context.Background(), s, statetest.Scope, PastOptions{Node: "orders", LookbackDays: 90, Limit: 2})
	if err != nil || len(p.Events) != 2 || p.Events[0].Status != stores.Begun || p.Events[1].Status == stores.Begun || p.Built+p.Reused != 1 {
		t.Errorf("history %+v, %v", p, err)
	}
}
