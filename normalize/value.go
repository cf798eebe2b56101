package normalize

// value is what is known of an expression's or column's value without any schema.
type value struct {
	// taint holds the volatile calls that the value depends on, and nothing but constants beside them, as long as they may be stamps.
	taint *taint
	// latent holds the literals that read the clock once something turns them into a date (S25).
	latent *taint
	// row: the value depends on rows that are read.
	row bool
	// open: a column that is added to a table that is read changes the value (struct(*), a whole row).
	open bool
	// text: the value is, or may be, a string made of constants only; see S25 on casts of those.
	text bool
	// literal: the value is one string literal.
	literal bool
}

// taint is a set of volatile calls: one call, or the union of two sets. Sets share their parts; every part is marked as deciding at most once, so
// that all the work on taints is linear in the size of the text.
type taint struct {
	call *volatileCall
	a, b *taint
	// decided: every call of the set is known to decide. active: every latent literal of the set is known to be read as a date.
	decided, active bool
}

// volatileCall is one call of the text whose value is not determined by the data.
type volatileCall struct {
	function string
	kind     volatility
	start    int32 // place in the text
	deciding bool
	// latent: a literal that counts only once it is active.
	latent, active bool
}

// union returns the set of the calls of both.
func union(a, b *taint) *taint {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	return &taint{a: a, b: b, decided: a.decided && b.decided, active: a.active && b.active}
}

// each visits the calls of a set, skipping the parts for which done is true; done marks a part as it answers.
func (t *taint) each(done func(*taint) bool, visit func(*volatileCall)) {
	if t == nil || done(t) {
		return
	}
	stack := []*taint{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.call != nil {
			visit(t.call)
		}
		for _, part := range [2]*taint{t.a, t.b} {
			if part != nil && !done(part) {
				stack = append(stack, part)
			}
		}
	}
}

// decide marks every call of the set as deciding.
func decide(t *taint) {
	t.each(func(t *taint) bool { was := t.decided; t.decided = true; return was }, func(c *volatileCall) { c.deciding = true })
}

// activate turns the latent literals of a value into volatile calls, since the value may become a date here.
func activate(v value) value {
	v.latent.each(func(t *taint) bool { was := t.active; t.active = true; return was }, func(c *volatileCall) { c.active = true })
	v.taint = union(v.taint, v.latent)
	v.latent = nil
	return v
}

// decided marks all calls that a value depends on as deciding.
func decided(v value) {
	decide(v.taint)
}

// combine is the value of an operation on several values. A stamp that meets row data decides a value, and is no stamp any more.
func combine(a value, vs ...value) value {
	for i := range vs {
		a = merge(a, vs[i])
	}
	return settle(a)
}

// merge joins what two values depend on without an operation between them.
func merge(a, b value) value {
	return value{taint: union(a.taint, b.taint), latent: union(a.latent, b.latent), row: a.row || b.row, open: a.open || b.open,
		text: a.text || b.text, literal: a.literal || b.literal}
}

// settle decides the calls of a value that has row data too.
func settle(v value) value {
	if v.row && v.taint != nil {
		decide(v.taint)
	}
	return v
}
