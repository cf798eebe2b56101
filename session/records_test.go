package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hodor/normalize"
	"hodor/stores"
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

// What is cut out of sql_facts before it is decoded is the literals, whatever else stands there.
func TestCutLiterals(t *testing.T) {
	salted := normalize.SaltLiterals([]normalize.Literal{{Text: "1"}, {Text: "'a}'"}})
	raw, err := json.Marshal(salted)
	must(t, err)
	odd := sqlFacts{
		Dialect: "duckdb", Facts: &normalize.Facts{Tables: [][]string{{`,"literals":{"salt":"`}}}, Views: map[string]viewFacts{"a": {}, "literals": {Code: "c"}},
		SQL: `select ',"literals":{"salt":"ab","hashes":[]}'`,
	}
	for _, literals := range []json.RawMessage{nil, raw} {
		odd.Literals = literals
		text := encode(odd)
		rest, cut := cutLiterals(*text)
		if cut != string(literals) {
			t.Errorf("cut %q, want %q", cut, literals)
		}
		if got := recordedFacts(&stores.Record{SQLFacts: text}); got == nil || !reflect.DeepEqual(*got, odd) {
			t.Errorf("%s is decoded as %+v", *text, got)
		}
		if strings.Contains(rest, `"hashes":["`) {
			t.Errorf("left: %s", rest)
		}
	}
	if got := saltedLiterals(raw); !reflect.DeepEqual(got, salted) {
		t.Errorf("decoded %+v", got)
	}
	broken := `{"dialect":"duckdb","literals":{"salt":"ab"`
	if got := recordedFacts(&stores.Record{SQLFacts: &broken}); got != nil {
		t.Errorf("a text that breaks off: %+v", got)
	}
}

// A text is held against the last build's literals, so a reuse keeps none.
func TestReusesRecordNoLiterals(t *testing.T) {
	w := newWorld(t)
	w.add("model.shop.a", "table", "select 1 as id")
	for _, want := range []string{"build", "reuse"} {
		rec := w.run().records()["model.shop.a"]
		f := recordedFacts(&rec)
		if rec.Action != want || f == nil || (f.Literals != nil) != (want == "build") {
			t.Errorf("%s: %+v", want, rec)
		}
	}
	// A build of a text that is known has them again.
	w.touch("model.shop.a")
	rec := w.run().records()["model.shop.a"]
	if f := recordedFacts(&rec); rec.Action != "build" || saltedLiterals(f.Literals) == nil {
		t.Errorf("built again: %+v", rec)
	}
}
