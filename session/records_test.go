package session

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hodor/normalize"
)

// docs/records.md lists every key of the JSON columns.
func TestRecordsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "records.md"))
	must(t, err)
	for _, v := range []any{sqlFacts{}, hookFacts{}, viewFacts{}, decidedFacts{}, evidenceFacts{}, testResult{}, normalize.Facts{},
		normalize.SaltedLiterals{},
	} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key != "" && !strings.Contains(string(doc), "`"+key+"`") {
				t.Errorf("docs/records.md does not list %s of %T", key, v)
			}
		}
	}
}

// What a decision looked at and no other part of the record holds is recorded for explain.
func TestDecidedIsRecorded(t *testing.T) {
	w := shop(t)
	w.run()
	w.touch("model.shop.orders")
	w.hidden = []string{"+"}
	w.nodes["model.shop.orders"].config["state"] = map[string]any{"lag_tolerance": "2h"}
	records := w.run().records()
	decided := func(id string) *decidedFacts {
		r := records[id]
		f := recordedFacts(&r)
		if f == nil || f.Decided == nil {
			t.Fatalf("%s: nothing of its decision is recorded", id)
		}
		return f.Decided
	}
	orders := decided("model.shop.orders")
	if orders.Kind != "table" || orders.LagToleranceMS != 2*3600_000 || len(orders.Evidence) != 1 || orders.Evidence[0].What != "target" ||
		orders.Evidence[0].Then == "" || orders.Evidence[0].Now == "" || orders.Evidence[0].Then == orders.Evidence[0].Now {
		t.Errorf("a modified target: %+v", orders)
	}
	if test := decided("test.shop.positive"); test.Kind != "test" || !strings.Contains(test.Unknown["opaque:+"], "hides the built-in") {
		t.Errorf("an upstream without a version: %+v", test)
	}
}
