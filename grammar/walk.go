package grammar

//go:generate go run hodor/tools/gen-walk

// walker visits a tree. The methods that know each node's parts are generated.
type walker struct {
	enter   func(Node) bool
	leave   func(Node)
	rewrite func(Expr) Expr
	idents  bool // identifiers are visited too
}

func (w *walker) node(n Node) {
	if w.enter != nil && !w.enter(n) {
		return
	}
	n.children(w)
	if w.leave != nil {
		w.leave(n)
	}
}

func (w *walker) expr(x *Expr) {
	if *x == nil {
		return
	}
	w.node(*x)
	if w.rewrite != nil {
		*x = w.rewrite(*x)
	}
}

// ident visits an identifier, which has no parts.
func (w *walker) ident(x *Ident) {
	if w.idents {
		w.node(x)
	}
}

// Walk visits n and all its parts, parents first and in the order of the fields, which is the order of the text but for
// aliases that stand in front of what they name. Parts stored as values, such as identifiers, are visited by their address.
// visit says whether to go on into the node.
func Walk(n Node, visit func(Node) bool) {
	w := walker{enter: visit, idents: true}
	w.node(n)
}

// WalkLeave is Walk with a second function that is called after the parts of each node that was entered.
func WalkLeave(n Node, enter func(Node) bool, leave func(Node)) {
	w := walker{enter: enter, leave: leave, idents: true}
	w.node(n)
}

// Rewrite replaces every expression of n by what f makes of it, operands first. n itself stays; f may return its argument.
func Rewrite(n Node, f func(Expr) Expr) {
	w := walker{rewrite: f}
	w.node(n)
}

// WalkRewrite is Walk, identifiers left out, and Rewrite in one: enter sees each node before its parts are rewritten.
func WalkRewrite(n Node, enter func(Node) bool, f func(Expr) Expr) {
	w := walker{enter: enter, rewrite: f}
	w.node(n)
}
