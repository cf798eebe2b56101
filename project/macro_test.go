package project

import (
	"slices"
	"testing"
)

// hashes returns the config hashes of some nodes before and after a change of the manifest.
func hashes(t *testing.T, adapter string, ids []string, env map[string]string, change func(m object)) (before, after map[string]string) {
	t.Helper()
	all := func(p *Project) map[string]string {
		out := map[string]string{}
		for _, id := range ids {
			out[id] = p.NewHasher(testContext(env)).Config(node(t, p, id))
		}
		return out
	}
	m := fixture(t, adapter)
	delete(m["macros"].(object), "macro.shop.snapshot_hashed_strategy") // it is handed the model
	before = all(loaded(t, m))
	change(m)
	return before, all(loaded(t, m))
}

const (
	aTable        = "model.shop.big_orders"
	aView         = "model.shop.stg_orders"
	anIncremental = "model.shop.daily"
	aSeed         = "seed.shop.rates"
	aSnapshot     = "snapshot.shop.snap_customers"
	aTest         = "test.shop.amount_positive"
	hooked        = "model.shop.orders" // calls the macro log in a pre-hook
)

var everyKind = []string{aTable, aView, anIncremental, aSeed, aSnapshot, aTest, hooked}

// S20: project and package macros under names that dbt comes to by itself. Appearing and every change of the text count for the kinds of nodes
// that may run them; other macros count for nobody.
func TestOverrides(t *testing.T) {
	for _, c := range []struct {
		name     string
		pkg      string
		adapter  string
		affected []string
	}{
		{"create_table_as", "shop", "duckdb", everyKind},
		{"duckdb__create_table_as", "shop", "duckdb", everyKind},
		{"default__create_table_as", "shop", "duckdb", everyKind},
		{"duckdb__create_table_as", "some_package", "duckdb", everyKind},
		{"default__load_csv_rows", "shop", "duckdb", everyKind},
		{"databricks__create_table_as", "shop", "databricks", everyKind},
		{"spark__create_table_as", "shop", "databricks", everyKind},
		{"create_table_as_and_more", "shop", "duckdb", nil},
		{"my_own", "shop", "duckdb", nil},
		{"materialization_table_duckdb", "shop", "duckdb", []string{aTable, hooked}},
		{"materialization_table_default", "shop", "duckdb", []string{aTable, hooked}},
		{"materialization_view_default", "some_package", "duckdb", []string{aView}},
		{"materialization_incremental_databricks", "shop", "databricks", []string{anIncremental}},
		{"materialization_seed_default", "shop", "duckdb", []string{aSeed}},
		{"materialization_snapshot_duckdb", "shop", "duckdb", []string{aSnapshot}},
		{"materialization_test_default", "some_package", "duckdb", []string{aTest}},
		{"materialization_nothing_default", "shop", "duckdb", nil},
		{"get_incremental_merge_sql", "shop", "databricks", []string{anIncremental}},
		{"get_incremental_new_sql", "shop", "duckdb", []string{anIncremental}},
		{"duckdb__get_incremental_delete_insert_sql", "shop", "duckdb", []string{anIncremental}},
		{"snapshot_check_strategy", "shop", "duckdb", []string{aSnapshot}},
		{"default__snapshot_timestamp_strategy", "shop", "duckdb", []string{aSnapshot}},
		{"test_not_null", "shop", "duckdb", []string{aTest}},
		{"default__test_unique", "shop", "duckdb", everyKind},
	} {
		appear := func(m object) { addMacro(m, c.pkg, c.name, "{% macro x() %}select 1{% endmacro %}") }
		before, after := hashes(t, c.adapter, everyKind, nil, appear)
		_, edited := hashes(t, c.adapter, everyKind, nil, func(m object) { addMacro(m, c.pkg, c.name, "{% macro x() %}select 2{% endmacro %}") })
		for _, id := range everyKind {
			want := slices.Contains(c.affected, id)
			if got := before[id] != after[id]; got != want {
				t.Errorf("%s.%s appears on %s: %s changes %v", c.pkg, c.name, c.adapter, id, got)
			}
			if got := after[id] != edited[id]; got != want {
				t.Errorf("%s.%s is edited on %s: %s changes %v", c.pkg, c.name, c.adapter, id, got)
			}
		}
	}
}

// What an override reads by itself stands in no compiled SQL: the configuration is unknown, and the node builds.
func TestOverrideThatReads(t *testing.T) {
	for text, unknown := range map[string]bool{
		"create table {{ relation }} as ({{ sql }})":                                                 false,
		"with s as (select 1) insert into {{ target }} select * from s join {{ source }} using (id)": false,
		"{% set c = run_query('select column_name from information_schema.columns') %}":              false,
		"select * from {{ target }}.x":                                                               false,
		"create table t as ({{ sql }}) where id in (select id from raw.allow)":                       true,
		"... join \"shop\".\"raw\".allow":                                                            true,
		"... FROM `raw`.allow":                                                                       true,
		"{{ sql }} where id in (select id from {{ ref('allow') }})":                                  true,
		"{% set a = source('raw', 'allow') %}":                                                       true,
	} {
		_, after := hashes(t, "duckdb", everyKind, nil, func(m object) {
			addMacro(m, "shop", "create_table_as", "{% macro create_table_as(t, relation, sql) %}"+text+"{% endmacro %}")
		})
		for _, id := range everyKind {
			if got := after[id] == ""; got != unknown {
				t.Errorf("%s: the configuration of %s is unknown: %v", text, id, got)
			}
		}
	}
}

// The closure: what an override or a hook calls counts too, whether dbt lists the call or not.
func TestClosure(t *testing.T) {
	for what, c := range map[string]struct {
		sql   string
		calls []string
		seen  bool
	}{
		"listed":        {"{% macro x() %}{% endmacro %}", []string{"macro.shop.helper"}, true},
		"called":        {"{% macro x() %}{{ helper() }}{% endmacro %}", nil, true},
		"handed on":     {"{% macro x() %}{{ apply(helper) }}{% endmacro %}", nil, true},
		"of a package":  {"{% macro x() %}{{ shop.helper() }}{% endmacro %}", nil, true},
		"dispatched":    {"{% macro x() %}{{ adapter.dispatch('helper', 'shop')() }}{% endmacro %}", nil, true},
		"computed":      {"{% macro x(n) %}{{ context['hel' ~ n]() }}{% endmacro %}", nil, true},
		"dispatch of":   {"{% macro x(n) %}{{ adapter.dispatch('hel' ~ n)() }}{% endmacro %}", nil, true},
		"only a word":   {"{% macro x() %}select helper{% endmacro %}", nil, false},
		"in a comment":  {"{% macro x() %}{# helper #}{% endmacro %}", nil, false},
		"another macro": {"{% macro x() %}{{ helper2() }}{% endmacro %}", nil, false},
	} {
		with := func(helper string) func(m object) {
			return func(m object) {
				addMacro(m, "shop", "create_table_as", c.sql, c.calls...)
				addMacro(m, "shop", "helper", helper)
			}
		}
		_, one := hashes(t, "duckdb", []string{aTable}, nil, with("1"))
		_, two := hashes(t, "duckdb", []string{aTable}, nil, with("2"))
		if seen := one[aTable] != two[aTable]; seen != c.seen {
			t.Errorf("a macro that is %s counts: %v", what, seen)
		}
	}
	deep := func(last string) func(m object) {
		return func(m object) {
			addMacro(m, "shop", "create_table_as", "{{ a() }}")
			addMacro(m, "shop", "a", "{{ default__b() }}")
			addMacro(m, "other", "default__b", "{{ c() }} {{ a() }}")
			addMacro(m, "shop", "c", last)
		}
	}
	_, one := hashes(t, "duckdb", []string{aTable}, nil, deep("1"))
	_, two := hashes(t, "duckdb", []string{aTable}, nil, deep("2"))
	if one[aTable] == two[aTable] {
		t.Error("the third macro down is not seen")
	}
}

func TestHookMacros(t *testing.T) {
	before, after := hashes(t, "duckdb", everyKind, nil, func(m object) {
		at(t, m, "macros", "macro.shop.log")["macro_sql"] = "{% macro log(message) %}{{ other() }}{% endmacro %}"
	})
	for _, id := range everyKind {
		// log bears the name of no macro of dbt, so only the node whose hook calls it is concerned.
		if got, want := before[id] != after[id], id == hooked; got != want {
			t.Errorf("the macro of a hook changes %s: %v", id, got)
		}
	}
	before, after = hashes(t, "duckdb", []string{hooked}, nil, func(m object) { addMacro(m, "shop", "building", "x") })
	if before[hooked] == after[hooked] {
		t.Error("a hook's text names a macro, if only in a string, and it is not seen")
	}
}

// S21: values of the run that a hook's text or an override reads.
func TestContextValues(t *testing.T) {
	env := map[string]string{"SCHEMA": "a", "OTHER": "b"}
	change := map[string]func(*Context){
		"vars":       func(c *Context) { c.Vars = "changed" },
		"target":     func(c *Context) { c.Target = "changed" },
		"threads":    func(c *Context) { c.Threads = "8" },
		"flags":      func(c *Context) { c.Flags = "changed" },
		"selected":   func(c *Context) { c.Selected = "changed" },
		"env SCHEMA": func(c *Context) { c.Env = testContext(map[string]string{"SCHEMA": "changed", "OTHER": "b"}).Env },
		"no SCHEMA":  func(c *Context) { c.Env = testContext(map[string]string{"OTHER": "b"}).Env },
		"empty":      func(c *Context) { c.Env = testContext(map[string]string{"SCHEMA": "", "OTHER": "b"}).Env },
		"environment": func(c *Context) {
			c.Environ = testContext(map[string]string{"SCHEMA": "a", "OTHER": "changed"}).Environ
		},
	}
	schema := []string{"env SCHEMA", "no SCHEMA", "empty"}
	for _, c := range []struct {
		text string
		seen []string
	}{
		{"{{ var('x') }}", []string{"vars"}},
		{"{{ var(name) }}", []string{"vars"}},
		{"{% if target.name == 'prod' %}x{% endif %}", []string{"target"}},
		{"{{ target['schema'] }} {{ target.get('threads_of_mine') }}", []string{"target"}},
		{"{{ target.threads }}", []string{"target", "threads"}},
		{"{{ target['threads'] }}", []string{"target", "threads"}},
		{"{{ log(target) }}", []string{"target", "threads"}},
		{"{{ flags.FULL_REFRESH }}", []string{"flags"}},
		{"{{ invocation_args_dict['vars'] }}", []string{"flags", "vars"}},
		{"{{ env_var('SCHEMA') }}", schema},
		{`{{ env_var("SCHEMA", 'x') }}`, schema},
		{"{{ env_var(name) }}", []string{"environment"}},
		{"{{ env_var('SCH' ~ 'EMA') }}", []string{"environment"}},
		{"{{ selected_resources }}", []string{"selected"}},
		{"var target flags env_var('SCHEMA')", nil},
		{"{# var('x') #}", nil},
		{"{{ '{#' }} {{ var('x') }} {# #}", []string{"vars"}},
		{"{% raw %}{#{% endraw %} {{ var('x') }}", []string{"vars"}},
		{"{{ this }}", nil},
		{"{{ builtins.var('x') }}", []string{"vars"}},
	} {
		for _, place := range []string{"hook", "override"} {
			m := small(t, aTable)
			if place == "hook" {
				at(t, m, "nodes", aTable, "config")["post-hook"] = []any{object{"sql": c.text, "transaction": true}}
			} else {
				addMacro(m, "shop", "create_table_as", c.text)
			}
			p := loaded(t, m)
			n := node(t, p, aTable)
			before := p.NewHasher(testContext(env)).Config(n)
			for what, f := range change {
				ctx := testContext(env)
				f(&ctx)
				if got, want := p.NewHasher(ctx).Config(n) != before, slices.Contains(c.seen, what); got != want {
					t.Errorf("%s %s: a change of %s counts: %v", place, c.text, what, got)
				}
			}
		}
	}
}

// What a text needs and the run does not know makes the hash unknown, which builds.
func TestUnknownContext(t *testing.T) {
	for text, forget := range map[string]func(*Context){
		"{{ var('x') }}":           func(c *Context) { c.Vars = "" },
		"{{ target.name }}":        func(c *Context) { c.Target = "" },
		"{{ target.threads }}":     func(c *Context) { c.Threads = "" },
		"{{ flags.X }}":            func(c *Context) { c.Flags = "" },
		"{{ selected_resources }}": func(c *Context) { c.Selected = "" },
	} {
		m := fixture(t, "duckdb")
		addMacro(m, "shop", "create_table_as", text)
		p := loaded(t, m)
		ctx := testContext(nil)
		forget(&ctx)
		if h := p.NewHasher(ctx).Config(node(t, p, aTable)); h != "" {
			t.Errorf("%s has a hash", text)
		}
	}
}

// S21: keys that are out come back where a text reads them, by name or because the object is handed on.
func TestReads(t *testing.T) {
	config := func(key string, v any) func(m object) {
		return func(m object) { at(t, m, "nodes", aTable, "config")[key] = v }
	}
	entry := func(key string, v any) func(m object) {
		return func(m object) { at(t, m, "nodes", aTable)[key] = v }
	}
	change := map[string]func(m object){
		"meta":         config("meta", object{"a": 1}),
		"tags":         config("tags", []any{"x"}),
		"docs":         config("docs", object{"show": false}),
		"persist_docs": config("persist_docs", object{"relation": true}),
		"state":        config("state", object{"lag_tolerance": "9h"}),
		"description":  entry("description", "words"),
		"columns":      entry("columns", object{"id": object{"name": "id", "description": "words"}}),
		"fqn":          entry("fqn", []any{"moved"}),
		"raw_code":     entry("raw_code", "select 2"),
	}
	allConfig := []string{"meta", "tags", "docs", "persist_docs", "state"}
	all := append([]string{"description", "columns", "fqn", "raw_code"}, allConfig...)
	for text, seen := range map[string][]string{
		"{{ config.get('meta') }}":             {"meta"},
		`{{ config.get("tags", []) }}`:         {"tags"},
		"{{ config['docs'] }}":                 {"docs"},
		"{{ config.require('meta') }}":         {"meta"},
		"{{ config.meta_get('owner') }}":       {"meta"},
		"{{ config.persist_relation_docs() }}": {"persist_docs"},
		"{{ config.get('materialized') }}":     nil,
		"{{ config.get(key) }}":                allConfig,
		"{{ helper(config) }}":                 allConfig,
		"{{ config(materialized='x') }}":       nil,
		"{{ model.description }}":              {"description"},
		"{{ model['columns'] }}":               {"columns"},
		"{{ model.get('fqn') }}":               {"fqn"},
		"{{ model.config }}":                   allConfig,
		"{{ model.raw_code }}":                 {"raw_code"},
		"{{ model.name }}":                     nil,
		"{{ helper(model) }}":                  all,
		"{% set x = model %}":                  all,
		"{{ config.model.description }}":       all,
		"{{ context.model }}":                  all,
		"{{ graph.nodes }}":                    all,
		"select model, config from {{ this }}": nil,
	} {
		hook := func(m object) { config("pre-hook", []any{object{"sql": text, "transaction": true}})(m) }
		override := func(m object) { addMacro(m, "shop", "create_table_as", text) }
		for place, put := range map[string]func(m object){"hook": hook, "override": override} {
			hash := func(f func(m object)) string {
				m := small(t, aTable)
				put(m)
				f(m)
				return configHash(t, m, aTable)
			}
			before := hash(func(object) {})
			for what, f := range change {
				if got, want := hash(f) != before, slices.Contains(seen, what); got != want {
					t.Errorf("%s %s: a change of %s counts: %v", place, text, what, got)
				}
			}
		}
	}
}

// dbt fills refs, sources and depends_on from sets: their order says nothing.
func TestSetsHaveNoOrder(t *testing.T) {
	hash := func(change func(n object)) string {
		m := small(t, aTable)
		at(t, m, "nodes", aTable, "config")["pre-hook"] = []any{object{"sql": "{{ helper(model) }}"}}
		change(at(t, m, "nodes", aTable))
		return configHash(t, m, aTable)
	}
	put := func(a, b string) func(n object) {
		return func(n object) {
			n["refs"], n["sources"] = []any{object{"name": a}, object{"name": b}}, []any{[]any{a}, []any{b}}
			n["depends_on"] = object{"macros": []any{a, b}, "nodes": []any{a, b}}
		}
	}
	if hash(put("a", "b")) != hash(put("b", "a")) {
		t.Error("the order of a set counts")
	}
	if hash(put("a", "b")) == hash(put("a", "c")) {
		t.Error("what is in a set does not count")
	}
}

func TestDispatch(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"name: a\n", "name: b\n", true},
		{"dispatch:\n  - macro_namespace: dbt\n    search_order: [a, dbt]\n", "dispatch:\n  - macro_namespace: dbt\n    search_order: [b, dbt]\n", false},
		{"dispatch:\n- macro_namespace: dbt\n", "dispatch:\n- macro_namespace: dbt_utils\n", false},
		{"name: a\n", "name: a\ndispatch: [{macro_namespace: dbt, search_order: [a]}]\n", false},
		{"dispatch:\n  # words\n  - x\nname: a\n", "dispatch:\r\n\r\n  - x\r\nname: b\r\n", true},
		{"models:\n  dispatch: 1\n", "models:\n  dispatch: 2\n", true},
		{"'dispatch': [a]\n", "'dispatch': [b]\n", false},
		{"{name: a, dispatch: [a]}", "{name: a, dispatch: [b]}", false},
	} {
		if got := Dispatch(c.a) == Dispatch(c.b); got != c.same {
			t.Errorf("%q and %q: same is %v", c.a, c.b, got)
		}
	}
	p := loaded(t, fixture(t, "duckdb"))
	ctx := testContext(nil)
	ctx.Dispatch = "dispatch: x"
	if n := node(t, p, aTable); p.NewHasher(ctx).Config(n) == p.NewHasher(testContext(nil)).Config(n) {
		t.Error("the dispatch setting is no part of the hash")
	}
}
