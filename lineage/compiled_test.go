package lineage

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"hodor/normalize"
	"hodor/project"
)

// compiled gives every node the facts of the SQL that real dbt compiled.
type compiled map[string]string

func (c compiled) facts(n *project.Node, dialect string) (Facts, bool) {
	sql, ok := c[n.UniqueID]
	if !ok {
		return Facts{}, false
	}
	r := normalize.Normalize(sql, normalize.Options{Dialect: dialect, Catalog: "shop", Schema: "main"})
	return Facts{Body: &r.Facts, Level: r.Level}, true
}

type compiledViews struct {
	compiled
	dialect string
}

func (c compiledViews) View(n *project.Node) (Facts, bool) { return c.facts(n, c.dialect) }

// Names as dbt prints them into compiled SQL find their nodes, on both adapters.
func TestCompiledByDbt(t *testing.T) {
	for dialect, where := range map[string][2]string{"duckdb": {"shop.main.", "shop.raw."}, "databricks": {"main.shop.", "main.raw."}} {
		p, err := project.Load("../project/testdata/manifest_"+dialect+".json", "")
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile("../project/testdata/compiled_" + dialect + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var sql compiled
		if err := json.Unmarshal(raw, &sql); err != nil {
			t.Fatal(err)
		}
		r := NewResolver(p, Options{Dialect: dialect}, compiledViews{sql, dialect})
		model, source := where[0], where[1]
		for id, want := range map[string][2]string{
			"model.shop.orders":            {model + "rates " + source + "orders", model + "stg_orders"},
			"model.shop.big_orders":        {source + "orders", model + "stg_orders"},
			"model.shop.dim_customers":     {source + "customers", model + "stg_customers"},
			"model.shop.reads_priced":      {model + `"priced latest"`, ""},
			"model.shop.appended":          {model + "orders", ""},
			"model.shop.by_hour":           {source + "orders", model + "stg_orders"},
			"model.shop.contracted":        {"", ""},
			"model.shop.stg_orders":        {source + "orders", ""},
			"snapshot.shop.snap_customers": {source + "customers", ""},
			"test.shop.amount_positive":    {model + "orders", ""},
			"model.shop.state_all":         {source + "orders", model + "stg_orders"},
		} {
			facts, ok := sql.facts(p.Nodes[id], dialect)
			if !ok {
				t.Errorf("%s: %s was not compiled", dialect, id)
				continue
			}
			got := r.Of(p.Nodes[id], facts)
			read := strings.Join(slices.Sorted(strings.FieldsSeq(want[0])), " ")
			if strings.Contains(want[0], `"`) {
				read = want[0]
			}
			if names(got.Upstreams) != read || viewNames(got.Views) != want[1] {
				t.Errorf("%s: %s reads %s through %s", dialect, id, names(got.Upstreams), viewNames(got.Views))
			}
		}
	}
}
