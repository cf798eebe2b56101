package project

import "testing"

func TestRenderHook(t *testing.T) {
	m := fixture(t, "duckdb")
	at(t, m, "nodes", "model.shop.orders", "depends_on")["nodes"] = []any{"model.shop.stg_orders", "seed.shop.rates", "source.shop.raw.orders",
		"source.shop.files.sheet", "model.shop.eph_big", "model.shop.priced.v1", "model.shop.priced.v2", "model.shop.reads_priced"}
	p := loaded(t, m)
	n := node(t, p, "model.shop.orders")
	deferred := map[string]string{"model.shop.reads_priced": `"prod"."main"."reads_priced"`}
	for in, want := range map[string]string{
		"":                                   "",
		"vacuum":                             "vacuum",
		"select '}}' as x":                   "select '}}' as x",
		"select {'a': 1}":                    "select {'a': 1}",
		"grant select on {{ this }} to x":    `grant select on "shop"."main"."orders" to x`,
		"{{this}}":                           `"shop"."main"."orders"`,
		"a  {{- this -}}  b":                 `a"shop"."main"."orders"b`,
		"a {{- this }} b":                    `a"shop"."main"."orders" b`,
		"{{ this.schema }}.{{ this.name }}":  "main.orders",
		"{{ this.database }}":                "shop",
		"{{ this.identifier }}":              "orders",
		"from {{ ref('stg_orders') }}":       `from "shop"."main"."stg_orders"`,
		`from {{ ref("shop", "rates") }}`:    `from "shop"."main"."rates"`,
		"from {{ source('raw', 'orders') }}": `from "shop"."raw"."orders"`,
	} {
		got, ok := p.RenderHook(n, Hook{SQL: in}, deferred)
		if !ok || got != want {
			t.Errorf("%s is %q (%v), want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"{{ log('x') }}", "{% if true %}x{% endif %}", "{# x #}vacuum", "{{ this", "{{ this | upper }}", "{{ this.render() }}", "{{ this.include(database=false) }}", "{{ thisx }}",
		"{{ ref('nothing') }}", "{{ ref('other', 'rates') }}", "{{ ref(name) }}", "{{ ref('a' ~ 'b') }}", "{{ ref('priced') }}", "{{ ref('priced', v=1) }}",
		"{{ ref('reads_priced') }}",                       // deferral may lead it elsewhere
		"{{ ref('eph_big') }}", "{{ ref('big_orders') }}", // inlined; no parent
		"{{ source('files', 'sheet') }}", "{{ source('raw', 'customers') }}", "{{ source('raw') }}", "{{ ref() }}", "{{ var('x') }}", "{{ target.name }}",
		"{{ 'x' }}", "{{ ref('stg_orders').schema }}", "{{ ref('stg_orders') }} {{ log('x') }}", "{{ ref('stg\\_orders') }}",
	} {
		if got, ok := p.RenderHook(n, Hook{SQL: in}, deferred); ok {
			t.Errorf("%s is taken for %q", in, got)
		}
	}
	if !p.NeedsRender(n, nil) || p.NeedsRender(node(t, p, "model.shop.stg_orders"), nil) {
		t.Error("the wrong nodes need the host")
	}
}

// A macro of the project named ref leads its hooks elsewhere, as it does the SQL of models.
func TestRenderHookWithOverride(t *testing.T) {
	for _, c := range []struct{ name, hook string }{
		{"ref", "from {{ ref('rates') }}"}, {"source", "from {{ source('raw', 'orders') }}"}, {"this", "from {{ this }}"}, {"this", "{{ this.schema }}"},
	} {
		m := fixture(t, "duckdb")
		at(t, m, "nodes", "model.shop.orders", "depends_on")["nodes"] = []any{"seed.shop.rates", "source.shop.raw.orders"}
		p := loaded(t, m)
		if _, ok := p.RenderHook(node(t, p, "model.shop.orders"), Hook{SQL: c.hook}, nil); !ok {
			t.Errorf("%s is not rendered", c.hook)
		}
		addMacro(m, "shop", c.name, "{% macro "+c.name+"(x) %}{% endmacro %}")
		p = loaded(t, m)
		if got, ok := p.RenderHook(node(t, p, "model.shop.orders"), Hook{SQL: c.hook}, nil); ok {
			t.Errorf("with a macro %s, %s is taken for %q", c.name, c.hook, got)
		}
	}
}

func TestHookIsHarmless(t *testing.T) {
	for sql, want := range map[string]bool{
		"":                         true,
		" ; ":                      true,
		"grant select on t to `x`": true,
		"GRANT SELECT ON t TO x; comment on table t is 'x';": true,
		"-- words\nanalyze table t compute statistics":       true,
		"/* words */ optimize t zorder by (a)":               true,
		"vacuum":                                             true,
		"comment on table t is 'a; b'":                       false, // not provable without the dialect's quotes
		"grant x to y; drop table t":                         false,
		"insert into t values (1)":                           false,
		"select 1":                                           false,
		"explain analyze select 1":                           false,
		"grants":                                             false,
		"/* /* */ grant x */ drop table t":                   false,
		"-- x\\\ngrant x to y\ndrop table t":                 false,
		"-- x\rgrant x\ndrop table t":                        false,
		"/* open":                                            false,
		"'grant'":                                            false,
		"alter table t add column grant int":                 false,
	} {
		if got := HookIsHarmless(sql); got != want {
			t.Errorf("%q is harmless: %v", sql, got)
		}
	}
}

func TestHookKeepsNames(t *testing.T) {
	for sql, want := range map[string]bool{
		"":                                       true,
		"grant select on t to x":                 true,
		"insert into log select count(*) from t": true,
		"alter table t set tblproperties ('a'='b')": true,
		"delete from t; merge into t using s on 1":  true,
		"use catalog other":                         false,
		"set schema = 'x'":                          false,
		"create temporary view t as select 1":       false,
		"attach 'x.duckdb' as raw":                  false,
		"alter session set x":                       false,
		"insert into t select 1; use other":         false,
		"call f()":                                  false,
	} {
		if got := HookKeepsNames(sql); got != want {
			t.Errorf("%q keeps names: %v", sql, got)
		}
	}
}
