//go:build unix

package dbt

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hodor/executor"
)

// project makes a manifest of nodes, "type package.folder.name [file] [<- parents]", with the ids type.package.name.
func manifestOf(lines ...string) *Manifest {
	m := &Manifest{Project: "shop", Nodes: map[string]*Node{}}
	for _, line := range lines {
		left, parents, _ := strings.Cut(line, " <- ")
		words := strings.Fields(left)
		fqn := strings.Split(words[1], "/")
		n := &Node{Type: words[0], Package: fqn[0], FQN: fqn, Name: fqn[len(fqn)-1], File: "models/" + strings.Join(fqn[1:], "/") + ".sql", Parents: strings.Fields(parents)}
		n.ID = fmt.Sprintf("%s.%s.%s", n.Type, n.Package, strings.Join(fqn[1:], "."))
		if len(words) > 2 {
			if words[2] == "versioned" {
				n.Versioned = true
			} else {
				n.File = words[2]
			}
		}
		m.Nodes[n.ID] = n
		m.order = append(m.order, n.ID)
	}
	slices.Sort(m.order)
	return m
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []string
		ids   string
		want  string // "" for a refusal
	}{
		{"row 1: a folder has the model's name", []string{"model shop/orders", "model shop/orders/daily"}, "model.shop.orders",
			"fqn:shop.orders,path:models/orders.sql,resource_type:model"},
		{"row 1: what is in that folder", []string{"model shop/orders", "model shop/orders/daily"}, "model.shop.orders.daily", "fqn:shop.orders.daily,resource_type:model"},
		{"row 2: two packages have a model of one name", []string{"model shop/orders", "model stripe/orders models/orders.sql"}, "model.stripe.orders",
			"fqn:stripe.orders,resource_type:model"},
		{"row 2: and a folder is called like the package", []string{"model shop/stripe/orders", "model stripe/orders models/orders.sql"}, "model.stripe.orders",
			"fqn:stripe.orders,package:stripe,resource_type:model"},
		{"row 4: the fqn without the package", []string{"model shop/stripe/orders", "model stripe/orders models/orders.sql"}, "model.shop.stripe.orders",
			"fqn:shop.stripe.orders,resource_type:model"},
		{"row 4: a prefix takes what is nested below", []string{"model shop/a/b", "model shop/a/b/c"}, "model.shop.a.b", "fqn:shop.a.b,path:models/a/b.sql,resource_type:model"},
		{"row 5: unit tests come with the model that they depend on", []string{"model shop/a", "unit_test shop/a/u <- model.shop.a", "model shop/b"}, "model.shop.a", "fqn:shop.a,resource_type:model"},
		{"row 5: versions", []string{"model shop/m/v1 versioned", "model shop/m/v2 versioned"}, "model.shop.m.v2", "fqn:shop.m.v2,resource_type:model"},
		{"row 7: no wildcard is ever made", []string{"model shop/a*", "model shop/ab"}, "model.shop.a*", ""},
		{"row 8: package: takes a name only", []string{"model shop/x/orders", "model x/orders models/orders.sql"}, "model.x.orders", "fqn:x.orders,package:x,resource_type:model"},
		{"a whole folder", []string{"model shop/a/x", "model shop/a/y", "model shop/b/z"}, "model.shop.a.x model.shop.a.y", "fqn:shop.a,resource_type:model"},
		{"a whole project, of one type", []string{"model shop/a/x", "model shop/b/y", "seed shop/s"}, "model.shop.a.x model.shop.b.y", "fqn:shop,resource_type:model"},
		{"a folder that reaches into another package", []string{"model shop/a/x", "model shop/a/y", "model q/a/z models/a/z.sql", "model shop/b"}, "model.shop.a.x model.shop.a.y", "fqn:shop.a,resource_type:model"},
		{"a folder called like a package", []string{"model shop/q/x", "model q/x models/x.sql", "model q/y models/y.sql"}, "model.q.x model.q.y",
			"fqn:q.x,package:q,resource_type:model fqn:q.y,resource_type:model"},
		{"a blank in the name", []string{"model shop/my,name", "model shop/b"}, "model.shop.my,name", ""},
		{"a plus in a folder, the name alone is enough", []string{"model shop/a+b/x", "model shop/y"}, "model.shop.a+b.x", "fqn:x,resource_type:model"},
		{"a plus in a folder, and the name is taken", []string{"model shop/a+b/x", "model shop/x"}, "model.shop.a+b.x", ""},
		{"hostile names that are all wanted", []string{"model shop/d/x@", "model shop/d/y@", "model shop/b"}, "model.shop.d.x@ model.shop.d.y@", "fqn:shop.d,resource_type:model"},
		{"no fqn", []string{"model shop"}, "model.shop.", ""},
		{"not in the manifest", []string{"model shop/a"}, "model.shop.b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := manifestOf(c.nodes...)
			got, err := m.Select(strings.Fields(c.ids))
			if c.want == "" {
				if !executor.IsCode(err, executor.Refused) {
					t.Fatalf("%q, %v; want a refusal", got, err)
				}
				return
			}
			must(t, err)
			if s := strings.Join(got, " "); s != c.want {
				t.Fatalf("%s, want %s", s, c.want)
			}
		})
	}
}

// What reached finds by its tables, matches says of each node, and the other way round.
func TestReachedIsMatches(t *testing.T) {
	m := manifestOf("model shop/a", "model shop/a/b", "model shop/x.y/z", "model stripe/a", "model shop/stripe/a", "model shop/m/v1 versioned", "model shop/m/v2 versioned",
		"model shop/a_b", "seed shop/a", "source shop/raw", "model shop", "test shop/a/t")
	for _, value := range []string{"a", "shop", "shop.a", "a.b", "stripe", "stripe.a", "x", "x.y", "x.y.z", "z", "m", "m.v1", "m_v1", "q.m.v1", "v1", "a_b", "q", "raw", "models", "models/a.sql", "a.sql", "models/a"} {
		for _, method := range []string{"fqn", "path", "file", "package"} {
			c := criterion{method, value}
			reached := m.indexed().reached(c)
			for _, id := range m.order {
				if n := m.Nodes[id]; slices.Contains(reached, n) != c.matches(n) {
					t.Errorf("%s and %s: reached %v, matches %v", c, id, slices.Contains(reached, n), c.matches(n))
				}
			}
		}
	}
}

// A selection that is too long for a command line goes to dbt's Python through its standard input.
func TestLongSelection(t *testing.T) {
	b := start(t, script{World: three})
	long := []string{"run", "--select", strings.Repeat("fqn:shop.a,resource_type:model ", maxCommandLine/20)}
	if _, err := b.ex.command(b.ex.opt.DBT, long); !executor.IsCode(err, executor.NotStarted) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("without a Python: %v", err)
	}
	script := venv(t, ".venv")
	cmd, err := b.ex.command(strings.TrimSuffix(script, "python")+"dbt", long)
	must(t, err)
	if !strings.Contains(cmd.Path, "python") || cmd.Stdin == nil || len(strings.Join(cmd.Args, "")) > 1000 {
		t.Errorf("the command is %q", cmd.Args)
	}
	python := exec.Command(cmd.Path, "-c", launcher)
	python.Stdin = strings.NewReader(`["--version"]`)
	out, err := python.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "installed:") {
		t.Errorf("the launcher: %v\n%s", err, out)
	}
}
