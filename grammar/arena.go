package grammar

import "unsafe"

// slab hands out zeroed values of one type from common blocks, so that a tree costs few allocations. A value is never
// handed out twice.
type slab[T any] struct{ free []T }

// slabBytes is the size of a block; what one parse leaves of it serves the next.
const slabBytes = 4096

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		var x T
		s.free = make([]T, max(8, slabBytes/int(max(1, unsafe.Sizeof(x)))))
	}
	x := &s.free[0]
	s.free = s.free[1:]
	return x
}

// lister builds slices of unknown length on a stack and copies them, when complete, into common blocks. Lists may nest.
type lister[T any] struct {
	stack []T
	free  []T
}

func (l *lister[T]) mark() int { return len(l.stack) }

func (l *lister[T]) add(x T) { l.stack = append(l.stack, x) }

// take returns the values added since mark as a slice of their own, nil if there are none.
func (l *lister[T]) take(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.free) {
		var x T
		l.free = make([]T, max(n, slabBytes/int(max(1, unsafe.Sizeof(x)))))
	}
	out := l.free[:n:n]
	l.free = l.free[n:]
	copy(out, l.stack[mark:])
	clear(l.stack[mark:])
	l.stack = l.stack[:mark]
	return out
}

// one returns a slice with the single value x.
func (l *lister[T]) one(x T) []T {
	if len(l.free) == 0 {
		l.free = make([]T, max(8, slabBytes/int(max(1, unsafe.Sizeof(x)))))
	}
	out := l.free[:1:1]
	l.free = l.free[1:]
	out[0] = x
	return out
}

// arena has the slabs of the nodes that ordinary queries are made of.
type arena struct {
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
