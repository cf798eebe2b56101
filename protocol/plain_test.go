package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// plainLines are requests as the plugin writes them, and lines that only look so.
var plainLines = []struct {
	line  string
	plain bool
}{
	{`{"jsonrpc":"2.0","id":1,"method":"node/decide","params":{"id":"model.shop.a","sql":null}}`, true},
	{`{"jsonrpc":"2.0","id":123456789012345,"method":"shutdown","params":{}}`, true},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":[{"params":{}},"}"]}}`, true},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{} }`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":null}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a"}`, false},
	{`{"jsonrpc":"2.0","id":-7,"method":"a","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":07,"method":"a","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":"7","method":"a","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a\u0062","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{},"result":1}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{}}}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":1,"method":"b"}`, false},
	{`{"jsonrpc":"2.0", "id":7,"method":"a","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":7,"result":{},"method":"a","params":{}}`, false},
	{`{"id":7,"jsonrpc":"2.0","method":"a","params":{}}`, false},
	{`{"jsonrpc":"2.0","id":7,"method":"a","params":{"a":"` + "\xff" + `"}}`, true},
	{"", false},
}

// What plainRequest takes apart is what encoding/json makes of the line.
func TestPlainRequest(t *testing.T) {
	for _, c := range plainLines {
		if _, ok := plainRequest([]byte(c.line)); ok != c.plain {
			t.Errorf("%s: %t", c.line, ok)
		}
		samePlain(t, c.line)
	}
}

func samePlain(t *testing.T, line string) {
	t.Helper()
	got, ok := plainRequest([]byte(line))
	if !ok {
		return
	}
	var want message
	if err := json.Unmarshal([]byte(line), &want); err != nil || !reflect.DeepEqual(got, want) || want.kind() != request {
		t.Errorf("%q: %+v, want %+v (%v)", line, got, want, err)
	}
}

func FuzzPlainRequest(f *testing.F) {
	for _, c := range plainLines {
		f.Add(c.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		samePlain(t, strings.TrimRight(line, "\n"))
		samePlain(t, `{"jsonrpc":"2.0","id":1,"method":"a","params":`+line+"}")
	})
}
