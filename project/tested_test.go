package project

import (
	"reflect"
	"strings"
	"testing"
)

func TestNodeKey(t *testing.T) {
	m := fixture(t, "duckdb")
	at(t, m, "nodes", "model.shop.orders")["relation_name"] = `"shop"."main"."Orders"`
	p := loaded(t, m)
	if key := p.NodeKey(node(t, p, "model.shop.orders"), nil); key != "shop.main.orders" {
		t.Errorf("the model's key is %s", key)
	}
	test := node(t, p, "test.shop.amount_positive")
	key := p.NodeKey(test, nil)
	id, sum, ok := strings.Cut(key, "#")
	if !ok || id != test.UniqueID || len(sum) != 64 {
		t.Errorf("the test's key is %s", key)
	}
	if p.NodeKey(test, map[string]string{"model.shop.orders": "prod.main.orders"}) == key {
		t.Error("a test of another environment's relation has the same key")
	}
	at(t, m, "nodes", "model.shop.orders")["relation_name"] = `"shop"."main"."sales"`
	p = loaded(t, m)
	if p.NodeKey(node(t, p, "test.shop.amount_positive"), nil) == key {
		t.Error("a test of another relation has the same key")
	}
}

func TestTested(t *testing.T) {
	m := fixture(t, "duckdb")
	depends := at(t, m, "nodes", "test.shop.amount_positive", "depends_on")
	depends["nodes"] = []any{"model.shop.orders", "model.shop.eph_big", "source.shop.raw.orders", "model.shop.orders", "model.shop.gone"}
	p := loaded(t, m)
	want := []string{"?model.shop.gone", "shop.main.orders", "shop.main.stg_orders", "shop.raw.orders"}
	if got := p.Tested(node(t, p, "test.shop.amount_positive"), nil); !reflect.DeepEqual(got, want) {
		t.Errorf("tested are %q", got)
	}
}
