package state

import (
	"slices"

	"hodor/project"
)

// graph is the order in which nodes are planned: parents first. Beside depends_on a node comes after whoever builds a relation that it reads as
// a source.
type graph struct {
	p        *project.Project
	parents  map[string][]string
	children map[string][]string
	// levels holds all nodes but sources and operations; nodes of one level do not depend on each other. stuck are those on a circle.
	levels [][]string
	stuck  []string
}

func newGraph(p *project.Project) *graph {
	g := &graph{p: p, parents: map[string][]string{}, children: map[string][]string{}}
	waits := map[string]int{}
	for id, n := range p.Nodes {
		if n.Resource == project.Source || n.Resource == project.Operation {
			continue
		}
		var parents []string
		for _, parent := range n.Parents {
			parents = append(parents, parent)
			if src := p.Nodes[parent]; src != nil && src.Resource == project.Source && !src.Relation.IsZero() {
				for _, maker := range p.At(src.Relation.Key()) {
					if maker.Resource != project.Source && maker.UniqueID != id {
						parents = append(parents, maker.UniqueID)
					}
				}
			}
		}
		slices.Sort(parents)
		parents = slices.Compact(parents)
		g.parents[id] = parents
		waits[id] = 0
		for _, parent := range parents {
			g.children[parent] = append(g.children[parent], id)
		}
	}
	for id, parents := range g.parents {
		for _, parent := range parents {
			if _, planned := g.parents[parent]; planned {
				waits[id]++
			}
		}
	}
	var level []string
	for id, n := range waits {
		if n == 0 {
			level = append(level, id)
		}
	}
	done := 0
	for len(level) > 0 {
		slices.Sort(level)
		g.levels = append(g.levels, level)
		done += len(level)
		var next []string
		for _, id := range level {
			for _, child := range g.children[id] {
				if waits[child]--; waits[child] == 0 {
					next = append(next, child)
				}
			}
		}
		level = next
	}
	if done < len(waits) {
		placed := map[string]bool{}
		for _, l := range g.levels {
			for _, id := range l {
				placed[id] = true
			}
		}
		for id := range waits {
			if !placed[id] {
				g.stuck = append(g.stuck, id)
			}
		}
		slices.Sort(g.stuck)
	}
	return g
}

// ancestors returns all nodes above ids, themselves included.
func (g *graph) ancestors(ids []string) map[string]bool {
	seen := map[string]bool{}
	queue := slices.Clone(ids)
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		queue = append(queue, g.parents[id]...)
	}
	return seen
}
