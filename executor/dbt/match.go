package dbt

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// This file has dbt's own rules of which nodes a selector reaches, for the methods and characters that selectors here are made of. Checked against
// dbt ls of real dbt (select_dbt_test.go).

// index answers what a value of fqn: reaches, without looking at every node.
type index struct {
	m *Manifest
	// prefix holds, for each dotted prefix of a node's flattened fqn, with and without its package, the nodes that have it.
	prefix map[string][]*Node
	// leaf holds nodes by the last part of the fqn, which matches as it stands, dots included; for versioned models the part before the last.
	leaf map[string][]*Node
	// version holds versioned models by their last two parts joined by _: dbt compares them with the last two parts of the value, joined alike.
	version map[string][]*Node
	// wild are the nodes without a usable fqn: dbt's rules break off on them, so every value is taken to reach them.
	wild     []*Node
	folder   map[string][]*Node // by every folder above the file, and by the file and the property file
	file     map[string][]*Node // by the file's name with and without its ending
	packages map[string][]*Node
	checks   map[string][]string
}

func (m *Manifest) indexed() *index {
	if m.index != nil {
		return m.index
	}
	x := &index{
		m: m, prefix: map[string][]*Node{}, leaf: map[string][]*Node{}, version: map[string][]*Node{}, folder: map[string][]*Node{},
		file: map[string][]*Node{}, packages: map[string][]*Node{}, checks: map[string][]string{},
	}
	for _, id := range m.order {
		n := m.Nodes[id]
		x.places(n)
		if isCheck(n.Type) {
			for _, parent := range n.Parents {
				if !slices.Contains(x.checks[parent], id) {
					x.checks[parent] = append(x.checks[parent], id)
				}
			}
		}
		if n.Type == "source" {
			continue // fqn: reaches everything but sources
		}
		if !usable(n) {
			x.wild = append(x.wild, n)
			continue
		}
		last := len(n.FQN) - 1
		if n.Versioned {
			x.leaf[n.FQN[last-1]] = append(x.leaf[n.FQN[last-1]], n)
			key := n.FQN[last-1] + "_" + n.FQN[last]
			x.version[key] = append(x.version[key], n)
		} else {
			x.leaf[n.FQN[last]] = append(x.leaf[n.FQN[last]], n)
		}
		seen := map[string]bool{}
		for _, fqn := range [][]string{n.FQN, n.FQN[1:]} {
			flat := strings.Split(strings.Join(fqn, "."), ".")
			for i := range flat {
				key := strings.Join(flat[:i+1], ".")
				if !seen[key] {
					seen[key] = true
					x.prefix[key] = append(x.prefix[key], n)
				}
			}
		}
	}
	m.index = x
	return x
}

func (x *index) places(n *Node) {
	x.packages[n.Package] = append(x.packages[n.Package], n)
	if n.File == "" {
		return
	}
	base := path.Base(n.File)
	x.file[base] = append(x.file[base], n)
	if s := stem(base); s != base {
		x.file[s] = append(x.file[s], n)
	}
	for dir := n.File; dir != "." && dir != "/"; dir = path.Dir(dir) {
		x.folder[dir] = append(x.folder[dir], n)
	}
	if n.Patch != "" && n.Patch != n.File {
		x.folder[n.Patch] = append(x.folder[n.Patch], n)
	}
}

// criterion is one method:value of a selector.
type criterion struct{ method, value string }

func (c criterion) String() string { return c.method + ":" + c.value }

// reached returns what a criterion reaches, perhaps some of it twice. For path it takes the pattern to be found below the root project, whatever
// the node's package, as dbt does.
func (x *index) reached(c criterion) []*Node {
	switch c.method {
	case "fqn":
		return slices.Concat(x.prefix[c.value], x.leaf[c.value], x.version[lastTwo(c.value)], x.wild)
	case "path":
		return x.folder[c.value]
	case "file":
		return x.file[c.value]
	case "package":
		return x.packages[c.value]
	}
	return nil
}

// lastTwo joins the last two parts of a value as dbt does to compare them with a versioned model.
func lastTwo(value string) string {
	parts := strings.Split(value, ".")
	return strings.Join(parts[max(0, len(parts)-2):], "_")
}

// matches tells whether a criterion reaches n: the rule by which reached finds it.
func (c criterion) matches(n *Node) bool {
	switch c.method {
	case "fqn":
		switch last := len(n.FQN) - 1; {
		case n.Type == "source":
			return false
		case !usable(n):
			return true
		case n.Versioned && (n.FQN[last-1] == c.value || n.FQN[last-1]+"_"+n.FQN[last] == lastTwo(c.value)), !n.Versioned && n.FQN[last] == c.value:
			return true
		}
		under := func(fqn []string) bool {
			flat := strings.Join(fqn, ".")
			return flat == c.value || strings.HasPrefix(flat, c.value+".")
		}
		return under(n.FQN) || under(n.FQN[1:])
	case "path":
		return n.File == c.value || strings.HasPrefix(n.File, c.value+"/") || n.Patch == c.value
	case "file":
		base := path.Base(n.File)
		return n.File != "" && (base == c.value || stem(base) == c.value)
	case "package":
		return n.Package == c.value
	}
	return false
}

// usable tells whether a node's fqn is long enough for dbt's rules.
func usable(n *Node) bool { return len(n.FQN) > 2 || len(n.FQN) == 2 && !n.Versioned }

// stem is a file's name without its last ending.
func stem(base string) string {
	if s := strings.TrimSuffix(base, path.Ext(base)); s != "" {
		return s
	}
	return base
}

// intersect returns the nodes of one type that every criterion reaches, sorted. The first criterion should be one that reaches little.
func (x *index) intersect(criteria []criterion, resourceType string) []*Node {
	var out []*Node
	if len(criteria) == 0 {
		return nil
	}
	for _, n := range x.reached(criteria[0]) {
		ok := n.Type == resourceType
		for _, c := range criteria[1:] {
			ok = ok && c.matches(n)
		}
		if ok {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *Node) int { return strings.Compare(a.ID, b.ID) })
	return slices.Compact(out)
}

// safe tells whether a text may stand as a value in a selector: letters, digits, _ - and dots, and for paths slashes. Whatever else a name
// holds, dbt may split, expand or reinterpret.
func safe(value string, slashes bool) bool {
	if value == "" {
		return false
	}
	for _, r := range value {
		switch {
		case r == '_', r == '-', r == '.', unicode.IsLetter(r), unicode.IsDigit(r):
		case r == '/' && slashes:
		default:
			return false
		}
	}
	return true
}
