package thriftproxy

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

// call is an ExecuteStatement with a field of every type before the statement.
func call(t *testing.T, sql string) []byte {
	t.Helper()
	number := func(n int) []byte { return make([]byte, n) }
	list := append([]byte{typeI32}, append(i32(2), number(8)...)...)
	args := structure{
		{10, typeBool, []byte{1}}, {11, typeByte, []byte{7}}, {12, typeDouble, number(8)}, {13, typeI16, number(2)}, {14, typeI32, i32(5)},
		{15, typeI64, number(8)}, {16, typeStruct, structure{{1, typeString, str("inner")}}.bytes()},
		{17, typeMap, append([]byte{typeString, typeI32}, append(i32(1), append(str("k"), i32(9)...)...)...)},
		{18, typeSet, list}, {19, typeList, list}, {statementText, typeString, str(sql)},
	}
	head := append([]byte{0x80, 0x01, 0x00, 0x01}, append(str("ExecuteStatement"), i32(3)...)...)
	return append(head, structure{{request, typeStruct, args.bytes()}}.bytes()...)
}

func TestMessages(t *testing.T) {
	raw := call(t, "SELECT 1 FROM hive_metastore.a.b")
	m, err := read(raw)
	if err != nil || m.method != "ExecuteStatement" || !bytes.Equal(m.bytes(), raw) {
		t.Fatalf("%+v, %v", m, err)
	}
	w := rewriter{metadata: map[string][]byte{}}
	if sql, _ := w.call(&m); sql != "SELECT 1 FROM hive_metastore.a.b" {
		t.Errorf("the statement is %q", sql)
	}
	if again, err := read(m.bytes()); err != nil || !bytes.Contains(again.bytes(), []byte("FROM spark_catalog.a.b")) {
		t.Errorf("%q, %v", m.bytes(), err)
	}
	for n := range raw { // cut anywhere, it is no message, and nothing breaks
		if _, err := read(raw[:n]); err == nil {
			t.Errorf("the first %d bytes are a message", n)
		}
	}
}

func TestRename(t *testing.T) {
	for _, c := range [][2]string{
		{"select * from hive_metastore.a.b", "select * from spark_catalog.a.b"},
		{"/* it's */ use `Hive_Metastore`.a -- hive_metastore", "/* it's */ use spark_catalog.a -- hive_metastore"},
		{`insert into hive_metastore.a.b values ('hive_metastore.a', "it\'s hive_metastore")`,
			`insert into spark_catalog.a.b values ('hive_metastore.a', "it\'s hive_metastore")`},
		{"select hive_metastore_2 from hive_metastore.é.`b", "select hive_metastore_2 from hive_metastore.é.`b"},
	} {
		if got := rename(c[0]); got != c[1] {
			t.Errorf("%s: %s", c[0], got)
		}
	}
}

// TestProxyRefusesTheRest: what is no Thrift call is seen and answered 404.
func TestProxyRefusesTheRest(t *testing.T) {
	p := New(t, 1) // where nobody listens
	for _, path := range []string{"/telemetry-ext", "/api/2.0/connector-service/feature-flags/GOLANG/1.14.0"} {
		r, err := http.Get(p.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/sql/1.0/warehouses/abc", bytes.NewReader(call(t, "SELECT 2"))))
	if w.Code != http.StatusBadGateway {
		t.Errorf("without a server: %d", w.Code)
	}
	list := p.Requests()
	if len(list) != 3 || list[0].Call != "" || list[2].Call != "ExecuteStatement" || Statements(list)[0] != "SELECT 2" || len(p.Requests()) != 0 {
		t.Errorf("%+v", list)
	}
}
