package normalize

import (
	"sync"

	"hodor/grammar"
	"hodor/internal/blocks"
)

// What the analysis of one text needs beside its result serves the next one. So nothing that comes from here may be part of a result, strings aside.

// slab hands out zeroed values of one type.
type slab[T any] struct {
	free   []T
	blocks blocks.Blocks[T]
}

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.free = s.blocks.Next(1)
	}
	x := &s.free[0]
	s.free = s.free[1:]
	return x
}

// of returns a place that holds x.
func (s *slab[T]) of(x T) *T {
	p := s.new()
	*p = x
	return p
}

// take returns a slice of n values.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.free = s.blocks.Next(n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// list returns an empty slice with room for n values.
func (s *slab[T]) list(n int) []T { return s.take(n)[:0] }

func (s *slab[T]) recycle() {
	s.blocks.Recycle(len(s.free))
	s.free = nil
}

// memory is what values are made from.
type memory struct {
	envs      slab[env]
	scopes    slab[scope]
	relations slab[relation]
	columns   slab[column]
	fromItems slab[item]
	itemLists slab[*item]
	withs     slab[cteScope]
	tables    slab[cte]
	aliases   slab[aliases]
	named     slab[alias]
	taints    slab[taint]
	volatiles slab[volatileCall]
	places    slab[place]
	knowns    slab[knownColumn]
	idents    slab[grammar.Ident]
	texts     slab[string]
}

// recycle takes everything back.
func (m *memory) recycle() {
	m.envs.recycle()
	m.scopes.recycle()
	m.relations.recycle()
	m.columns.recycle()
	m.fromItems.recycle()
	m.itemLists.recycle()
	m.withs.recycle()
	m.tables.recycle()
	m.aliases.recycle()
	m.named.recycle()
	m.taints.recycle()
	m.volatiles.recycle()
	m.places.recycle()
	m.knowns.recycle()
	m.idents.recycle()
	m.texts.recycle()
}

// analyses are those that no text is in.
var analyses = sync.Pool{New: func() any { return new(analysis) }}

// newAnalysis starts the analysis of a text.
func newAnalysis(sql string, dialect grammar.Dialect) *analysis {
	a := analyses.Get().(*analysis)
	a.sql, a.dialect = sql, dialect
	if a.frozen == nil {
		a.frozen, a.dots, a.oneNames = map[*grammar.SelectItem]bool{}, map[*grammar.Dot]bool{}, map[*grammar.Dot]*grammar.Column{}
		a.keep, a.units, a.parens = map[*grammar.Ident]bool{}, map[grammar.Node]bool{}, map[*grammar.Paren]bool{}
		a.itemNames, a.cteNames, a.parameters, a.functions = map[string]int{}, map[string]int{}, map[string][]parameter{}, map[string]bool{}
	}
	return a
}

// release ends the analysis of a text, whose result is complete.
func (a *analysis) release() {
	a.mem.recycle()
	*a = analysis{
		mem:    a.mem,
		frozen: emptied(a.frozen), dots: emptied(a.dots), oneNames: emptied(a.oneNames), keep: emptied(a.keep), units: emptied(a.units), parens: emptied(a.parens),
		itemNames: emptied(a.itemNames), cteNames: emptied(a.cteNames), parameters: emptied(a.parameters), functions: emptied(a.functions),
		items: cut(a.items), ctes: cut(a.ctes), refs: cut(a.refs), folds: cut(a.folds), fresh: cut(a.fresh), literals: cut(a.literals),
		tables: cut(a.tables), names: cut(a.names), paths: cut(a.paths), opaque: cut(a.opaque), calls: cut(a.calls),
	}
	analyses.Put(a)
}

// Entries of maps and of slices that are kept for the next text at most.
const (
	mapKept  = 1 << 8
	listKept = 1 << 14
)

// emptied is a map without its entries. Emptying a large one would cost every later text.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	switch n := len(m); {
	case n > mapKept:
		return map[K]V{}
	case n > 0:
		clear(m)
	}
	return m
}

// cut is a slice without its values.
func cut[T any](list []T) []T {
	if cap(list) > listKept {
		return nil
	}
	clear(list)
	return list[:0]
}
