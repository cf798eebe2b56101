package grammar

import (
	"unsafe"

	"hodor/internal/blocks"
)

// A tree's nodes come from blocks of one type each, so that it costs few allocations. Blocks belong to one tree: a block
// that two trees share would keep the older one alive as long as the younger, and so, from neighbour to neighbour, every tree
// that a parser ever made. The blocks of a tree that is only lent (Lend) are cleared when it comes back, and serve the next one.

// slab hands out zeroed values of one type, from blocks that grow with the tree.
type slab[T any] struct {
	free []T
	size int // values in the newest block
	// lent: the blocks come back.
	lent   bool
	blocks blocks.Blocks[T]
}

// Bytes of the first and of the largest block of a tree of its own.
const (
	slabFirst = 256
	slabBytes = 2048
)

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.grow(1)
	}
	x := &s.free[0]
	s.free = s.free[1:]
	return x
}

// take returns a zeroed slice of n values.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		s.grow(n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}

// grow starts a block of at least n values.
func (s *slab[T]) grow(n int) {
	if s.lent {
		s.free = s.blocks.Next(n)
		return
	}
	var x T
	size := int(max(1, unsafe.Sizeof(x)))
	s.size = min(max(2*s.size, slabFirst/size, 1), max(slabBytes/size, 1))
	s.free = make([]T, max(n, s.size))
}

// lend makes the slab keep its blocks.
func (s *slab[T]) lend() { s.lent = true }

// recycle takes back all values that were handed out.
func (s *slab[T]) recycle() {
	s.blocks.Recycle(len(s.free))
	s.free = nil
}

// lister builds slices of unknown length on a stack and copies them, when complete, into a slab. Lists may nest.
type lister[T any] struct {
	stack []T
	slab[T]
}

func (l *lister[T]) mark() int { return len(l.stack) }

func (l *lister[T]) add(x T) { l.stack = append(l.stack, x) }

// take returns the values added since mark as a slice of their own, nil if there are none.
func (l *lister[T]) take(mark int) []T {
	added := l.stack[mark:]
	if len(added) == 0 {
		return nil
	}
	out := l.slab.take(len(added))
	copy(out, added)
	clear(added)
	l.stack = l.stack[:mark]
	return out
}

// one returns a slice with the single value x.
func (l *lister[T]) one(x T) []T {
	out := l.slab.take(1)
	out[0] = x
	return out
}

// arena has the slabs and lists of the nodes that ordinary queries are made of.
type arena struct {
	slabs
	lists
	// all are the slabs of a parser of lent trees.
	all []interface {
		lend()
		recycle()
	}
}

// lend makes all slabs keep their blocks.
func (a *arena) lend() {
	s, l := &a.slabs, &a.lists
	a.all = append(a.all,
		&s.columns, &s.strings, &s.numbers, &s.binary, &s.ands, &s.nots, &s.is, &s.parens, &s.calls, &s.cases, &s.casts, &s.types, &s.stars,
		&s.ins, &s.likes, &s.windows, &s.queries, &s.selects, &s.tables, &s.derived, &s.joins, &s.ctes, &l.exprs.slab, &l.idents.slab,
		&l.items.slab, &l.operands.slab, &l.sorts.slab, &l.whens.slab, &l.from.slab, &l.steps.slab, &l.with.slab, &l.branches.slab)
	for _, s := range a.all {
		s.lend()
	}
}

// reset lets go of the blocks of the tree that has been built, or takes back those of one that was lent. The stacks stay.
func (a *arena) reset() {
	if len(a.all) > 0 {
		for _, s := range a.all {
			s.recycle()
		}
		return
	}
	a.slabs = slabs{}
	l := &a.lists
	l.exprs.slab, l.idents.slab, l.items.slab = slab[Expr]{}, slab[Ident]{}, slab[SelectItem]{}
	l.operands.slab, l.sorts.slab, l.whens.slab = slab[Operand]{}, slab[Sort]{}, slab[When]{}
	l.from.slab, l.steps.slab = slab[FromItem]{}, slab[Join]{}
	l.with.slab, l.branches.slab = slab[*CTE]{}, slab[SetBranch]{}
}

type slabs struct {
	columns slab[Column]
	strings slab[String]
	numbers slab[Number]
	binary  slab[Binary]
	ands    slab[And]
	nots    slab[Not]
	is      slab[Is]
	parens  slab[Paren]
	calls   slab[Call]
	cases   slab[Case]
	casts   slab[Cast]
	types   slab[TypeName]
	stars   slab[Star]
	ins     slab[In]
	likes   slab[Like]
	windows slab[Window]
	queries slab[Query]
	selects slab[Select]
	tables  slab[Table]
	derived slab[Derived]
	joins   slab[Joins]
	ctes    slab[CTE]
}

type lists struct {
	exprs    lister[Expr]
	idents   lister[Ident]
	items    lister[SelectItem]
	operands lister[Operand]
	sorts    lister[Sort]
	whens    lister[When]
	from     lister[FromItem]
	steps    lister[Join]
	with     lister[*CTE]
	branches lister[SetBranch]
}
