package project

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hodor/engine"
)

func TestLoadErrors(t *testing.T) {
	const path = "testdata/manifest_duckdb.json"
	if _, err := Load(path, "11111111-2222-4333-8444-555555555555"); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path, "another")
	var stale *StaleError
	if !errors.As(err, &stale) || stale.Path != path || stale.Want != "another" {
		t.Errorf("a manifest of another invocation: %v", err)
	}
	var unread *ReadError
	if _, err := Load("testdata/none.json", ""); !errors.As(err, &unread) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no manifest: %v", err)
	}
	broken := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(broken, []byte(`{"metadata": {"invocation_id": "a"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(broken, "a"); !errors.As(err, &unread) {
		t.Errorf("half a manifest: %v", err)
	}
	for _, err := range []error{stale, unread} {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("more than one line: %q", err)
		}
	}
}

// The kinds of spec section 3, as real dbt writes each of them.
func TestKinds(t *testing.T) {
	type want struct {
		kind     engine.Kind
		strategy string
		why      string
	}
	both := map[string]want{
		"model.shop.orders":                 {kind: engine.KindTable},
		"model.shop.stg_orders":             {kind: engine.KindView},
		"model.shop.eph_big":                {kind: KindEphemeral},
		"model.shop.appended":               {engine.KindIncremental, "append", ""},
		"model.shop.custom_strategy":        {engine.KindUnsupported, "upsert_twice", "custom incremental strategy upsert_twice"},
		"model.shop.by_hour":                {engine.KindUnsupported, "microbatch", "microbatch model"},
		"model.shop.shouted":                {kind: engine.KindUnsupported, why: "custom materialization shout"},
		"model.shop.py":                     {kind: engine.KindUnsupported, why: "python model"},
		"seed.shop.rates":                   {kind: engine.KindSeed},
		"snapshot.shop.snap_customers":      {engine.KindSnapshot, "check", ""},
		"snapshot.shop.snap_custom":         {engine.KindUnsupported, "hashed", "custom snapshot strategy hashed"},
		"test.shop.amount_positive":         {kind: engine.KindTest},
		"unit_test.shop.big_orders.doubles": {kind: engine.KindUnsupported, why: "unit test"},
		"operation.shop.shop-on-run-end-0":  {kind: engine.KindUnsupported, why: "hook operation"},
		"function.shop.plus_one":            {kind: engine.KindUnsupported, why: "function"},
		"source.shop.raw.orders":            {},
	}
	adapters := map[string]map[string]want{
		"duckdb": {
			"model.shop.daily":      {engine.KindIncremental, "delete+insert", ""},
			"model.shop.exported":   {kind: engine.KindUnsupported, why: "external table"},
			"model.shop.a_function": {kind: engine.KindUnsupported, why: "table function"},
		},
		"databricks": {
			"model.shop.daily":                 {engine.KindIncremental, "merge", ""},
			"model.shop.with_insert_overwrite": {engine.KindIncremental, "insert_overwrite", ""},
			"model.shop.with_replace_where":    {engine.KindIncremental, "replace_where", ""},
			"model.shop.with_merge":            {engine.KindIncremental, "merge", ""},
			"model.shop.with_delete_insert":    {engine.KindIncremental, "delete+insert", ""},
			"model.shop.a_materialized_view":   {kind: engine.KindUnsupported, why: "materialized view"},
			"model.shop.a_streaming_table":     {kind: engine.KindUnsupported, why: "streaming table"},
			"model.shop.a_metric_view":         {kind: engine.KindUnsupported, why: "metric view"},
		},
	}
	for adapter, more := range adapters {
		p := loaded(t, fixture(t, adapter))
		if p.Adapter != adapter || p.Name != "shop" || p.OnRunStart || !p.OnRunEnd {
			t.Errorf("project is %s on %s, hooks %v %v", p.Name, p.Adapter, p.OnRunStart, p.OnRunEnd)
		}
		for _, wants := range []map[string]want{both, more} {
			for id, w := range wants {
				n := p.Nodes[id]
				if n == nil {
					t.Errorf("%s: %s is missing", adapter, id)
					continue
				}
				if got := (want{n.Kind, n.Strategy, n.Why}); got != w {
					t.Errorf("%s: %s is %+v, want %+v", adapter, id, got, w)
				}
				if n.Kind == engine.KindUnsupported && n.Why == "" {
					t.Errorf("%s: %s does not say why", adapter, id)
				}
			}
		}
	}
}

// Strategies that only the other adapter brings are custom ones.
func TestForeignStrategies(t *testing.T) {
	for adapter, strategies := range map[string][]string{"duckdb": {"insert_overwrite", "replace_where"}, "databricks": {"upsert", ""}} {
		for _, s := range strategies {
			m := fixture(t, adapter)
			at(t, m, "nodes", "model.shop.appended", "config")["incremental_strategy"] = s
			n := node(t, loaded(t, m), "model.shop.appended")
			if want := engine.KindUnsupported; s != "" && n.Kind != want {
				t.Errorf("%s: %s is %s", adapter, s, n.Kind)
			} else if s == "" && n.Kind != engine.KindIncremental {
				t.Errorf("%s: unset is %s", adapter, n.Kind)
			}
		}
	}
}

func TestDisabledIsLeftOut(t *testing.T) {
	m := fixture(t, "duckdb")
	at(t, m, "nodes", "model.shop.orders", "config")["enabled"] = false
	if loaded(t, m).Nodes["model.shop.orders"] != nil {
		t.Error("a disabled model is in the project")
	}
}

func TestRelations(t *testing.T) {
	duckdb, databricks := loaded(t, fixture(t, "duckdb")), loaded(t, fixture(t, "databricks"))
	for _, c := range []struct {
		p       *Project
		id, key string
	}{
		{duckdb, "model.shop.orders", "shop.main.orders"},
		{duckdb, "model.shop.priced.v2", `shop.main."priced latest"`},
		{duckdb, "source.shop.raw.orders", "shop.raw.orders"},
		{duckdb, "source.shop.files.prices", ""},
		{duckdb, "source.shop.files.sheet", "shop.files.sheet"},
		{duckdb, "model.shop.eph_big", ""},
		{duckdb, "test.shop.amount_positive", "shop.main_dbt_test__audit.amount_positive"},
		{duckdb, "operation.shop.shop-on-run-end-0", ""},
		{databricks, "model.shop.orders", "main.shop.orders"},
		{databricks, "seed.shop.rates", "main.shop.rates"},
	} {
		if got := node(t, c.p, c.id).Relation.Key(); got != c.key {
			t.Errorf("%s stands at %q, want %q", c.id, got, c.key)
		}
	}
	for _, c := range []struct{ key, id string }{{"shop.main.orders", "model.shop.orders"}, {"shop.raw.orders", "source.shop.raw.orders"}} {
		if at := duckdb.At(c.key); len(at) != 1 || at[0].UniqueID != c.id {
			t.Errorf("at %s stands %v", c.key, at)
		}
	}
	if at := duckdb.At("shop.main_dbt_test__audit.amount_positive"); len(at) != 0 {
		t.Error("a table of failures counts as something to read")
	}
}

func TestNodeParts(t *testing.T) {
	p := loaded(t, fixture(t, "duckdb"))
	orders := node(t, p, "model.shop.orders")
	if want := []string{"model.shop.stg_orders", "seed.shop.rates"}; !reflect.DeepEqual(orders.Parents, want) {
		t.Errorf("parents are %v", orders.Parents)
	}
	want := []Hook{
		{When: "post", SQL: "comment on table {{ this }} is 'orders'", Transaction: true},
		{When: "post", SQL: "insert into audit select count(*) from {{ ref('stg_orders') }}"},
		{When: "pre", SQL: "{{ log('building') }}", Transaction: true},
	}
	if !reflect.DeepEqual(orders.Hooks, want) {
		t.Errorf("hooks are %+v", orders.Hooks)
	}
	if orders.Header != "set x = 1;" {
		t.Errorf("header is %q", orders.Header)
	}
	v1, v2 := node(t, p, "model.shop.priced.v1"), node(t, p, "model.shop.priced.v2")
	if v1.IsLatest() || !v2.IsLatest() || v2.Version != "2" || orders.IsLatest() {
		t.Error("the latest version is not told apart")
	}
	if f := node(t, p, "model.shop.dim_customers").FullRefresh; f == nil || !*f {
		t.Error("full_refresh: true is not seen")
	}
	if s := node(t, p, "test.shop.amount_positive").StoreFailures; s == nil || !*s {
		t.Error("store_failures is not seen")
	}
	if path := node(t, p, "seed.shop.rates").SeedPath; path != filepath.Join("/project", "seeds", "rates.csv") {
		t.Errorf("the seed lies at %s", path)
	}
	for id, external := range map[string]bool{"source.shop.files.prices": true, "source.shop.files.sheet": true, "source.shop.raw.orders": false} {
		if n := node(t, p, id); n.External != external {
			t.Errorf("%s: external is %v", id, n.External)
		}
	}
	for id, table := range map[string]bool{"model.shop.orders": true, "model.shop.daily": true, "seed.shop.rates": true, "snapshot.shop.snap_customers": true,
		"model.shop.by_hour": true, "model.shop.py": true, "model.shop.custom_strategy": true, "model.shop.stg_orders": false, "model.shop.eph_big": false,
		"model.shop.exported": false, "model.shop.shouted": false, "function.shop.plus_one": false, "test.shop.amount_positive": false} {
		if n := node(t, p, id); n.MakesTable() != table {
			t.Errorf("%s: makes a table is %v", id, n.MakesTable())
		}
	}
}

func TestParseName(t *testing.T) {
	for in, want := range map[string][]string{
		`"shop"."main"."orders"`:   {"shop", "main", "orders"},
		"`main`.`s`.`order lines`": {"main", "s", "order lines"},
		`shop.main.Orders`:         {"shop", "main", "Orders"},
		`"a""b".c`:                 {`a"b`, "c"},
		"`a``b`":                   {"a`b"},
		`"a.b"."c"`:                {"a.b", "c"},
		`read_csv('x.csv')`:        nil,
		`'x.parquet'`:              nil,
		``:                         nil,
		`a.`:                       nil,
		`.a`:                       nil,
		`"a`:                       nil,
		`"a"b`:                     nil,
		`""`:                       nil,
		`(select * from t) as x`:   nil,
		`"t" where false limit 0`:  nil,
	} {
		got, ok := ParseName(in)
		if ok != (want != nil) || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %q", in, got)
		}
	}
}

// Keys of different names must differ, keys of one name agree in any case.
func TestKey(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"Shop", "MAIN", "Orders"}, "shop.main.orders"},
		{[]string{"a.b", "c"}, `"a.b".c`},
		{[]string{"a", "b.c"}, `a."b.c"`},
		{[]string{`a"b`}, `"a""b"`},
		{[]string{"a", ""}, `a.""`},
		{[]string{"Caf\u00c9"}, "caf\u00c9"},
		{[]string{"order LINES"}, `"order lines"`},
	} {
		if got := Key(c.parts); got != c.want {
			t.Errorf("%q has the key %s, want %s", c.parts, got, c.want)
		}
		if back, ok := ParseName(Key(c.parts)); ok && Key(back) != c.want {
			t.Errorf("%s comes back as %q", c.want, back)
		}
	}
}
