package dbt

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hodor/executor"
)

// Select returns selectors that together reach exactly the nodes of those ids, checks apart that come in with them. What can't be selected exactly is
// an error, which names it; nothing must run then.
//
// A folder whose nodes of a type are all wanted is selected whole. What is left is selected node by node: by its fqn and type, narrowed where that
// reaches another node by package, by path and by file. A node that no such intersection singles out is taken with others that are wanted, if an
// intersection reaches only these.
func (m *Manifest) Select(ids []string) ([]string, error) {
	wanted, types := map[*Node]bool{}, map[string][]*Node{}
	for _, id := range ids {
		n := m.Nodes[id]
		if n == nil {
			return nil, executor.Refusal("compile the project again", "%s is not in dbt's manifest", id)
		}
		if !usable(n) && n.Type != "source" {
			return nil, executor.Refusal("compile the project again", "%s has no fqn in dbt's manifest, so it can't be selected", id)
		}
		if !wanted[n] {
			wanted[n] = true
			types[n.Type] = append(types[n.Type], n)
		}
	}
	var selectors []string
	for _, t := range sortedTypes(types) {
		s, err := m.selectType(t, types[t], wanted)
		if err != nil {
			return nil, err
		}
		selectors = append(selectors, s...)
	}
	return selectors, nil
}

func sortedTypes(types map[string][]*Node) []string {
	var out []string
	for t := range types {
		out = append(out, t)
	}
	slices.Sort(out)
	return out
}

func (m *Manifest) selectType(resourceType string, nodes []*Node, wanted map[*Node]bool) ([]string, error) {
	x := m.indexed()
	selectors, done := x.folders(resourceType, nodes, wanted)
	slices.SortFunc(nodes, func(a, b *Node) int { return strings.Compare(a.ID, b.ID) })
	for _, n := range nodes {
		if done[n] {
			continue
		}
		criteria, reached := x.single(n, wanted)
		if criteria == nil {
			return nil, executor.Refusal("rename the folder or file that it shares with others, or leave those nodes out of the run with dbt itself",
				"%s can't be selected exactly: its package, folder and file names reach other nodes too, or hold characters that dbt's selectors split", n.ID)
		}
		for _, r := range reached {
			done[r] = true
		}
		selectors = append(selectors, selectorText(criteria, resourceType))
	}
	return selectors, nil
}

// selectorText is a selector of criteria and type.
func selectorText(criteria []criterion, resourceType string) string {
	var b strings.Builder
	for _, c := range criteria {
		b.WriteString(c.String())
		b.WriteByte(',')
	}
	return b.String() + "resource_type:" + resourceType
}

// folders selects whole what can be: the shortest prefixes of fqns of which every node of the type is wanted.
func (x *index) folders(resourceType string, nodes []*Node, wanted map[*Node]bool) ([]string, map[*Node]bool) {
	type candidate struct {
		value string
		depth int
	}
	var candidates []candidate
	seen := map[string]bool{}
	for _, n := range nodes {
		for i := 1; i < len(n.FQN); i++ {
			value := strings.Join(n.FQN[:i], ".")
			if !seen[value] && safe(value, false) {
				candidates = append(candidates, candidate{value, i})
			}
			seen[value] = true
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int { return cmp.Or(a.depth-b.depth, strings.Compare(a.value, b.value)) })
	var selectors []string
	done := map[*Node]bool{}
	for _, c := range candidates {
		reached := x.intersect([]criterion{{"fqn", c.value}}, resourceType)
		fresh := 0
		for _, n := range reached {
			if !wanted[n] {
				fresh = -1
				break
			}
			if !done[n] {
				fresh++
			}
		}
		if fresh < 2 {
			continue // a folder with one new node makes no shorter a command
		}
		for _, n := range reached {
			done[n] = true
		}
		selectors = append(selectors, selectorText([]criterion{{"fqn", c.value}}, resourceType))
	}
	return selectors, done
}

// single returns criteria that reach n and nothing that is not wanted, those that reach n alone first, and what they reach; nil if there are none.
func (x *index) single(n *Node, wanted map[*Node]bool) ([]criterion, []*Node) {
	var fallback []criterion
	var also []*Node
	for _, criteria := range x.attempts(n) {
		reached := x.intersect(criteria, n.Type)
		if !slices.Contains(reached, n) {
			continue // dbt would not find it by this
		}
		if len(reached) == 1 {
			return criteria, reached
		}
		if fallback == nil && !slices.ContainsFunc(reached, func(r *Node) bool { return !wanted[r] }) {
			fallback, also = criteria, reached
		}
	}
	return fallback, also
}

// attempts lists intersections for one node, from short to long.
func (x *index) attempts(n *Node) [][]criterion {
	var names, places []criterion
	full := strings.Join(n.FQN, ".")
	switch {
	case len(n.FQN) == 0:
	case safe(full, false):
		names = append(names, criterion{"fqn", full})
	default:
		leaf := n.FQN[len(n.FQN)-1]
		if n.Versioned && len(n.FQN) > 2 {
			leaf = n.FQN[len(n.FQN)-2] + "." + leaf
		}
		if safe(leaf, false) {
			names = append(names, criterion{"fqn", leaf})
		}
		// The longest prefix that can be written.
		for i := len(n.FQN) - 1; i > 0; i-- {
			if value := strings.Join(n.FQN[:i], "."); safe(value, false) {
				names = append(names, criterion{"fqn", value})
				break
			}
		}
	}
	// `this` is another word for the root project.
	if safe(n.Package, false) && n.Package != "this" {
		places = append(places, criterion{"package", n.Package})
	}
	// path: is a pattern below the root project's folder, so it says nothing reliable of a package's files. A part .. or a hidden one is left alone.
	if n.Package == x.m.Project {
		for dir := n.File; dir != "." && dir != "/"; dir = path.Dir(dir) {
			if safe(dir, true) && !strings.Contains(dir, "..") && !strings.HasPrefix(dir, "/") {
				places = append(places, criterion{"path", dir})
				break
			}
		}
	}
	if base := path.Base(n.File); n.File != "" && safe(base, false) {
		places = append(places, criterion{"file", base})
	} else if s := stem(base); n.File != "" && safe(s, false) {
		places = append(places, criterion{"file", s})
	}
	var out [][]criterion
	for _, name := range append(names, criterion{}) {
		for size := 0; size <= len(places); size++ {
			for _, some := range choose(places, size) {
				criteria := slices.Clone(some)
				if name.method != "" {
					criteria = append([]criterion{name}, criteria...)
				}
				if len(criteria) > 0 {
					out = append(out, criteria)
				}
			}
		}
	}
	return out
}

// choose returns the subsets of that size, in order.
func choose(list []criterion, size int) [][]criterion {
	if size == 0 {
		return [][]criterion{nil}
	}
	var out [][]criterion
	for i := range list {
		for _, rest := range choose(list[i+1:], size-1) {
			out = append(out, append([]criterion{list[i]}, rest...))
		}
	}
	return out
}
