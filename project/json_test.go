package project

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// The stream must not care where its buffer ends.
func TestStreamByteByByte(t *testing.T) {
	raw, err := os.ReadFile("testdata/manifest_duckdb.json")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := read(bytes.NewReader(raw), "")
	if err != nil {
		t.Fatal(err)
	}
	slow, err := read(iotest.OneByteReader(bytes.NewReader(raw)), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Nodes) == 0 || len(whole.Nodes) != len(slow.Nodes) {
		t.Fatalf("%d nodes at once, %d byte by byte", len(whole.Nodes), len(slow.Nodes))
	}
	a, b := whole.NewHasher(testContext(nil)), slow.NewHasher(testContext(nil))
	for id, n := range whole.Nodes {
		if a.Config(n) != b.Config(slow.Nodes[id]) || n.RawCode != slow.Nodes[id].RawCode || n.Relation.Key() != slow.Nodes[id].Relation.Key() {
			t.Errorf("%s differs byte by byte", id)
		}
	}
}

// A manifest cut off anywhere is an error, never a smaller project.
func TestTruncated(t *testing.T) {
	text := `{"metadata": {"invocation_id": "i", "adapter_type": "duckdb"}, "nodes": {"model.a.b": {"name": "b\"\\", "resource_type": "model",
	 "config": {"materialized": "table", "x": [1, {"y": null}]}, "depends_on": {"nodes": []}}}, "macros": {}}`
	for i := 0; i < len(text); i++ {
		if p, err := read(strings.NewReader(text[:i]), ""); err == nil {
			t.Fatalf("the first %d bytes load as a project of %d nodes", i, len(p.Nodes))
		}
	}
	if _, err := read(strings.NewReader(text), ""); err != nil {
		t.Fatal(err)
	}
}

func TestNoManifest(t *testing.T) {
	for _, text := range []string{"", "null", "[]", "{}", "7", `{"nodes": {}}`, `{"metadata": {}, "nodes": {"model.a.b": 7}}`, `{"metadata": {} "nodes": {}}`,
		`{"metadata": {}, "macros": {"macro.a.b": []}}`, "{\x00", `{"metadata": }`} {
		if _, err := read(strings.NewReader(text), ""); err == nil {
			t.Errorf("%q loads", text)
		}
	}
}

func TestStrings(t *testing.T) {
	for raw, want := range map[string]string{
		`""`:                   "",
		`"plain"`:              "plain",
		`"a\"b\\c\/d"`:         `a"b\c/d`,
		`"\b\f\n\r\t"`:         "\b\f\n\r\t",
		`"caf\u00e9"`:          "caf\u00e9",
		`"\ud83d\ude00"`:       "\U0001F600",
		`"\ud83d"`:             "\xed\xa0\xbd",
		`"\ude00x"`:            "\xed\xb8\x80x",
		`"\ud83d\u0041"`:       "\xed\xa0\xbdA",
		`"\u0000"`:             "\x00",
		`"` + "\xf0\x9f" + `"`: "\xf0\x9f",
		`7`:                    "",
		`null`:                 "",
	} {
		if got := value(raw).str(); got != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
	}
}

func TestFields(t *testing.T) {
	v := value(`{"a": null,"b" : [1, "]"],"c":{"d": "}"} , "e": NaN, "f": -1.5e3,"g":"\\", "h": {}, "i": true}`)
	var got []string
	if !v.fields(func(key []byte, val value) { got = append(got, string(key)+"="+string(val)) }) {
		t.Error("it does not nest")
	}
	want := `a=null b=[1, "]"] c={"d": "}"} e=NaN f=-1.5e3 g="\\" h={} i=true`
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
	for _, bad := range []string{`{"a"`, `{"a":`, `{a: 1}`, `{"a": "x}`, `{"a": [1}`, `{"a": {"b": 1}`} {
		value(bad).fields(func([]byte, value) {})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"metadata": {"adapter_type": "duckdb"}, "nodes": {"model.a.b": {"resource_type": "model", "config": {"state": {"lag_tolerance": "1h"}}}}}`))
	f.Add([]byte(`{"metadata": {}, "macros": {"macro.a.b": {"name": "b", "macro_sql": "{% macro b() %}{{ x }}{% endmacro %}"}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := read(bytes.NewReader(raw), "")
		if err != nil {
			return
		}
		h := p.NewHasher(testContext(nil))
		for _, n := range p.Nodes {
			h.Config(n)
			h.Unrendered(n)
			p.NeedsRender(n, nil)
			p.NodeKey(n, nil)
		}
	})
}
