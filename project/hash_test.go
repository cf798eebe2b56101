package project

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// configKeys are the keys that dbt and the adapters know, as make_manifests.py found them.
func configKeys(t *testing.T) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/keys.json")
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string][]string
	if err := json.Unmarshal(raw, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// outConfig and outColumn are what spec section 6 and S23 take out; everything else is in.
var (
	outConfig = []string{"databricks_compute", "incremental_apply_config_changes", "tags", "meta", "docs", "state", "enabled", "persist_docs"}
	outColumn = []string{"description", "meta", "tags", "doc_blocks", "granularity", "dimension", "entity"}
)

// Each key alone: changing it changes the hash exactly if it is in.
func TestEachConfigKey(t *testing.T) {
	keys := configKeys(t)
	all := append(append(append(append([]string{"a_key_of_nobody"}, outConfig...), keys["databricks"]...), keys["duckdb"]...), keys["read by macros"]...)
	ids := map[string]string{"model": "model.shop.orders", "seed": "seed.shop.rates", "snapshot": "snapshot.shop.snap_customers", "test": "test.shop.amount_positive"}
	for _, adapter := range []string{"duckdb", "databricks"} {
		for class, id := range ids {
			m := fixture(t, adapter)
			m["macros"] = object{} // some of which read the model, see TestReads
			m["nodes"] = object{id: at(t, m, "nodes", id)}
			config := at(t, m, "nodes", id, "config")
			before := configHash(t, m, id)
			for _, key := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(keys[class]), all...)))) {
				if key == "enabled" || key == "materialized" {
					continue // another node altogether; see TestDisabledIsLeftOut and TestMaterialized
				}
				old, had := config[key]
				config[key] = object{"changed": "by the test"}
				changed := configHash(t, m, id) != before
				if in := !slices.Contains(outConfig, key); changed != in {
					t.Errorf("%s, %s: %s changes the hash: %v", adapter, id, key, changed)
				}
				if had {
					config[key] = old
				} else {
					delete(config, key)
				}
			}
			if configHash(t, m, id) != before {
				t.Errorf("%s: the test did not put everything back", id)
			}
		}
	}
}

func TestMaterialized(t *testing.T) {
	m := fixture(t, "duckdb")
	before := configHash(t, m, "model.shop.big_orders")
	at(t, m, "nodes", "model.shop.big_orders", "config")["materialized"] = "view"
	if configHash(t, m, "model.shop.big_orders") == before {
		t.Error("materialized is no part of the hash")
	}
}

// The table of keys names every declared key and marks as core exactly what dbt's classes have, so that a new dbt version is noticed.
func TestKeyTableIsComplete(t *testing.T) {
	keys := configKeys(t)
	core := map[string]bool{}
	for _, class := range []string{"model", "seed", "snapshot", "test"} {
		for _, k := range keys[class] {
			core[k] = true
		}
	}
	for _, class := range []string{"model", "seed", "snapshot", "test", "databricks", "duckdb"} {
		for _, k := range keys[class] {
			if _, ok := configRule[k]; !ok {
				t.Errorf("no word about the key %s of %s", k, class)
			}
		}
	}
	for _, k := range keys["column"] {
		if _, ok := columnRule[k]; !ok {
			t.Errorf("no word about the column key %s", k)
		}
	}
	for _, rule := range Keys {
		if rule.Where == InConfig && rule.core && !core[rule.Name] {
			t.Errorf("%s is no key of dbt-core", rule.Name)
		}
		if rule.Where == InConfig && rule.In == slices.Contains(outConfig, rule.Name) {
			t.Errorf("%s: in is %v", rule.Name, rule.In)
		}
	}
}

// A core key that is null is as good as absent (dbt versions differ in which they write); a null that a user wrote is not.
func TestNulls(t *testing.T) {
	m := fixture(t, "duckdb")
	before := configHash(t, m, "model.shop.orders")
	config := at(t, m, "nodes", "model.shop.orders", "config")
	for k, v := range config {
		if v == nil {
			delete(config, k)
		}
	}
	if configHash(t, m, "model.shop.orders") != before {
		t.Error("a core key that is null counts")
	}
	config["file_format"] = nil
	if configHash(t, m, "model.shop.orders") == before {
		t.Error("file_format: null is not seen, though a macro's default then does not apply")
	}
}

func TestColumns(t *testing.T) {
	const id = "model.shop.orders"
	m := fixture(t, "duckdb")
	columns := at(t, m, "nodes", id, "columns")
	before := configHash(t, m, id)

	// S23: an entry with nothing but a name, description or tests is none.
	columns["new"] = object{"name": "new", "description": "words", "data_type": nil, "constraints": []any{}, "quote": nil, "meta": object{"a": 1},
		"config": object{"meta": object{"a": 1}, "tags": []any{"x"}}, "tags": []any{"x"}, "doc_blocks": []any{"d"}}
	if configHash(t, m, id) != before {
		t.Error("a column with a description only counts")
	}
	delete(columns, "new")
	delete(columns, "id")
	if configHash(t, m, id) != before {
		t.Error("a column with a description only counted")
	}

	for _, key := range append(configKeys(t)["column"], "column_mask", "databricks_tags", "a_key_of_nobody") {
		if key == "name" || key == "config" {
			continue
		}
		m := object{"metadata": m["metadata"], "macros": m["macros"], "nodes": object{id: at(t, fixture(t, "duckdb"), "nodes", id)}}
		column := at(t, m, "nodes", id, "columns", "id")
		column[key] = "changed"
		if changed, in := configHash(t, m, id) != before, !slices.Contains(outColumn, key); changed != in {
			t.Errorf("column key %s changes the hash: %v", key, changed)
		}
	}
	m = fixture(t, "duckdb")
	at(t, m, "nodes", id, "columns", "amount", "config")["databricks_tags"] = object{"a": "b"}
	if configHash(t, m, id) == before {
		t.Error("a key in a column's config is not seen")
	}
	m = fixture(t, "duckdb")
	at(t, m, "nodes", id, "columns", "amount")["name"] = "total"
	if configHash(t, m, id) == before {
		t.Error("the name of a typed column is not seen")
	}
}

// With persist_constraints dbt-databricks takes constraints from meta, so there meta is no note.
func TestConstraintsInMeta(t *testing.T) {
	const id = "model.shop.orders"
	hash := func(persist any, where ...string) string {
		m := fixture(t, "databricks")
		config := at(t, m, "nodes", id, "config")
		config["persist_constraints"] = persist
		if where != nil {
			at(t, m, append([]string{"nodes", id}, where...)...)["meta"] = object{"constraints": []any{"x"}}
		}
		return configHash(t, m, id)
	}
	for _, persist := range []any{true, "true", nil, false} {
		on := persist != nil && persist != false
		for _, where := range [][]string{{"config"}, {"columns", "id"}} {
			if seen := hash(persist) != hash(persist, where...); seen != on {
				t.Errorf("persist_constraints %v: meta of %s counts: %v", persist, where, seen)
			}
		}
	}
}

// A contract makes the table's columns in the order of the list.
func TestColumnOrder(t *testing.T) {
	entry := func(columns string) *Node {
		return &Node{Resource: Model, columns: value(columns), config: value(`{"contract": {"enforced": true}}`)}
	}
	h := loaded(t, fixture(t, "duckdb")).NewHasher(testContext(nil))
	a := h.Config(entry(`{"a": {"name": "a", "data_type": "int"}, "b": {"name": "b", "data_type": "int"}}`))
	b := h.Config(entry(`{"b": {"name": "b", "data_type": "int"}, "a": {"name": "a", "data_type": "int"}}`))
	if a == b {
		t.Error("the order of typed columns is not seen")
	}
}

func TestNodeKeys(t *testing.T) {
	const id = "model.shop.priced.v1"
	m := fixture(t, "duckdb")
	before := configHash(t, m, id)
	entry := at(t, m, "nodes", id)
	for key, v := range map[string]any{
		"created_at": 99, "description": "d", "patch_path": "p", "original_file_path": "x.sql", "path": "x.sql", "fqn": []any{"a"}, "raw_code": "select 2",
		"checksum": object{"checksum": "x"}, "build_path": "b", "compiled_path": "c", "docs": object{"show": false}, "primary_key": []any{"id"}, "tags": []any{"t"},
		"meta": object{"a": 1}, "unrendered_config": object{"a": 1}, "doc_blocks": []any{"x"}, "group": "g", "latest_version": 3, "depends_on": object{"nodes": []any{}},
	} {
		old := entry[key]
		entry[key] = v
		if configHash(t, m, id) != before {
			t.Errorf("%s changes the config hash", key)
		}
		entry[key] = old
	}
	// Its pointer view is made when the latest version is built.
	entry["latest_version"] = 1
	if configHash(t, m, id) == before {
		t.Error("a model that becomes the latest version keeps its hash")
	}
	entry["latest_version"] = 2
	entry["constraints"] = []any{object{"type": "check", "expression": "id > 0"}}
	if configHash(t, m, id) == before {
		t.Error("a model's constraint is not seen")
	}
}

// Key order, blanks and escapes of the encoder are not configuration; equal words at other places are.
func TestCanonical(t *testing.T) {
	same := [][2]string{
		{`{"a": 1, "b": {"c": "x", "d": null}}`, `{"b":{"d":null,"c":"x"},"a":1}`},
		{`"caf\u00e9"`, "\"caf\u00e9\""},
		{`[1, 2]`, `[1,2]`},
		{`{}`, `{ }`},
	}
	for _, c := range same {
		if string(appendCanon(nil, value(c[0]), false)) != string(appendCanon(nil, value(c[1]), false)) {
			t.Errorf("%s and %s differ", c[0], c[1])
		}
	}
	apart := []string{`{"a": "b"}`, `{"a": ["b"]}`, `["a", "b"]`, `["ab"]`, `["a", ["b"]]`, `{"ab": ""}`, `"1"`, `1`, `1.0`, `true`, `"true"`, `null`, `""`, `[]`, `{}`, `[null]`, `{"a": {"b": 1}}`, `{"a": {}, "b": 1}`}
	for i, a := range apart {
		for _, b := range apart[i+1:] {
			if string(appendCanon(nil, value(a), false)) == string(appendCanon(nil, value(b), false)) {
				t.Errorf("%s and %s are one", a, b)
			}
		}
	}
	if string(appendCanon(nil, value(`{"a": 1, "b": 2}`), true)) == string(appendCanon(nil, value(`{"b": 2, "a": 1}`), true)) {
		t.Error("order is asked for and not kept")
	}
}

// Parts of the caller's (S19) count, and so does how they are cut.
func TestExtraParts(t *testing.T) {
	p := loaded(t, fixture(t, "duckdb"))
	h, n := p.NewHasher(testContext(nil)), node(t, p, "model.shop.orders")
	seen := map[string]bool{}
	for _, parts := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"ab"}, {"", "ab"}, {"b", "a"}} {
		seen[h.Config(n, parts...)] = true
	}
	if len(seen) != 7 {
		t.Errorf("seven lists of parts make %d hashes", len(seen))
	}
}

// S22: what decides a test's outcome beside its SQL. Other nodes do not depend on it.
func TestTestFlags(t *testing.T) {
	p := loaded(t, fixture(t, "duckdb"))
	plain := p.NewHasher(testContext(nil))
	ctx := testContext(nil)
	ctx.WarnError = "all"
	strict := p.NewHasher(ctx)
	ctx = testContext(nil)
	ctx.StoreFailures = true
	storing := p.NewHasher(ctx)
	var test *Node
	for id, n := range p.Nodes {
		if strings.HasPrefix(id, "test.shop.not_null") {
			test = n
		}
	}
	if plain.Config(test) == strict.Config(test) {
		t.Error("--warn-error is not seen")
	}
	if plain.Config(test) == storing.Config(test) {
		t.Error("--store-failures is not seen")
	}
	if set := node(t, p, "test.shop.amount_positive"); plain.Config(set) != storing.Config(set) {
		t.Error("the flag counts though the test says store_failures itself")
	}
	if n := node(t, p, "model.shop.orders"); plain.Config(n) != strict.Config(n) || plain.Config(n) != storing.Config(n) {
		t.Error("a flag of tests changes a model")
	}
}

func TestUnrendered(t *testing.T) {
	const id = "model.shop.state_all" // reads the ephemeral eph_big and calls twice, which calls two
	hash := func(change func(m object)) string {
		m := fixture(t, "duckdb")
		change(m)
		p := loaded(t, m)
		return p.NewHasher(testContext(nil)).Unrendered(node(t, p, id))
	}
	before := hash(func(object) {})
	if len(before) != 64 || before != hash(func(object) {}) {
		t.Fatalf("unrendered hash is %q", before)
	}
	for what, change := range map[string]func(m object){
		"raw code":          func(m object) { at(t, m, "nodes", id)["raw_code"] = "select 2" },
		"unrendered config": func(m object) { at(t, m, "nodes", id, "unrendered_config")["x"] = 1 },
		"a macro": func(m object) {
			at(t, m, "macros", "macro.shop.twice")["macro_sql"] = "{% macro twice(x) %}3{% endmacro %}"
		},
		"a macro's macro":     func(m object) { at(t, m, "macros", "macro.shop.two")["macro_sql"] = "{% macro two() %}3{% endmacro %}" },
		"an ephemeral parent": func(m object) { at(t, m, "nodes", "model.shop.eph_big")["raw_code"] = "select 2 as id" },
		"a macro passed on":   func(m object) { at(t, m, "nodes", id)["raw_code"] = "{{ caller_of(two) }}" },
	} {
		if hash(change) == before {
			t.Errorf("%s is not seen", what)
		}
	}
	for what, change := range map[string]func(m object){
		"another macro":     func(m object) { at(t, m, "macros", "macro.shop.log")["macro_sql"] = "x" },
		"rendered config":   func(m object) { at(t, m, "nodes", id, "config")["x"] = 1 },
		"the view's code":   func(m object) { at(t, m, "nodes", "model.shop.stg_orders")["raw_code"] = "select 2 as id" },
		"time of the parse": func(m object) { at(t, m, "nodes", id)["created_at"] = 5 },
	} {
		if hash(change) != before {
			t.Errorf("%s changes the unrendered hash", what)
		}
	}
	p := loaded(t, fixture(t, "duckdb"))
	if h := p.NewHasher(testContext(nil)).Unrendered(node(t, p, "seed.shop.rates")); h != "" {
		t.Error("a seed has an unrendered hash: changed rows would count as unchanged code")
	}
}

// A macro that dbt does not list as a dependency, since it is handed over as a value, is found by its name.
func TestUnrenderedPassedMacro(t *testing.T) {
	m := fixture(t, "duckdb")
	entry := at(t, m, "nodes", "model.shop.state_all")
	entry["raw_code"], entry["depends_on"] = "select {{ apply(two) }}", object{"macros": []any{}, "nodes": []any{}}
	p := loaded(t, m)
	before := p.NewHasher(testContext(nil)).Unrendered(node(t, p, "model.shop.state_all"))
	at(t, m, "macros", "macro.shop.two")["macro_sql"] = "{% macro two() %}3{% endmacro %}"
	p = loaded(t, m)
	if p.NewHasher(testContext(nil)).Unrendered(node(t, p, "model.shop.state_all")) == before {
		t.Error("a macro passed as a value is not seen")
	}
}

func TestUnrenderedOfGenericTest(t *testing.T) {
	m := fixture(t, "duckdb")
	var id string
	for k := range m["nodes"].(object) {
		if strings.HasPrefix(k, "test.shop.relationships") {
			id = k
		}
	}
	p := loaded(t, m)
	before := p.NewHasher(testContext(nil)).Unrendered(node(t, p, id))
	at(t, m, "nodes", id, "test_metadata", "kwargs")["field"] = "other"
	p = loaded(t, m)
	if p.NewHasher(testContext(nil)).Unrendered(node(t, p, id)) == before {
		t.Error("the arguments of a generic test are not seen")
	}
}
