package normalize

import (
	"strings"

	"hodor/grammar"
)

// stringFunctions make strings of strings: a literal among their arguments is not read as a date there.
var stringFunctions = set("concat", "concat_ws", "upper", "lower", "ucase", "lcase", "trim", "ltrim", "rtrim", "btrim", "lpad", "rpad", "initcap", "replace",
	"regexp_replace", "substr", "substring", "left", "right", "reverse", "repeat", "string", "format_string", "printf", "translate", "overlay")

// textFunctions read strings as strings, and make something else of them.
var textFunctions = set("length", "len", "char_length", "character_length", "md5", "sha", "sha1", "sha2", "crc32", "hash", "xxhash64", "split", "split_part",
	"regexp_extract", "regexp_extract_all", "regexp_like", "regexp_count", "rlike", "instr", "locate", "position", "contains", "startswith", "endswith", "levenshtein",
	"soundex", "base64", "unbase64", "hex", "encode", "decode", "from_json", "get_json_object", "parse_json", "json_tuple", "struct", "named_struct", "array",
	"map", "to_json")

// choiceFunctions return one of their arguments, which take one common type.
var choiceFunctions = set("coalesce", "nvl", "ifnull", "nvl2", "if", "iff", "nullif", "greatest", "least", "nullifzero", "decode")

// lambdaFunctions take DuckDB's arrow as a lambda; everywhere else it extracts from JSON.
var lambdaFunctions = set("list_transform", "array_transform", "list_apply", "array_apply", "apply", "list_filter", "array_filter", "filter", "list_reduce",
	"array_reduce", "reduce")

// callExpr resolves a function call.
func (a *analysis) callExpr(x *grammar.Call, e *env) value {
	v := value{}
	name := joinFolded(x.Name.Parts)
	if x.Name.Dynamic != nil {
		name = "identifier"
		decided(a.expr(x.Name.Dynamic, e))
	}
	if clauseQuoted(&x.Name) {
		name = joinClause(&x.Name)
	}
	f, known := builtin(a.dialect, name)
	if x.Receiver != nil {
		v = a.expr(x.Receiver, e)
	} else if a.duck() && len(x.Name.Parts) > 1 {
		// x.f() is f(x) if x is a column, else f of schema x.
		receiver := x.Name.Parts[:len(x.Name.Parts)-1]
		first := lower(receiver[0].Text)
		method := lower(x.Name.Parts[len(receiver)].Text)
		a.pinRows(first, e)
		if is, _ := a.parameter(receiver[0].Text, e); is || a.isKnownColumn(receiver, e) {
			name = method
			f, known = builtin(a.dialect, name)
			v, _ = a.lookup(lower(receiver[len(receiver)-1].Text), e)
			v.row = true
		}
	}
	if !known {
		a.opaque = append(a.opaque, textAt{name, x.Start})
		a.capture(e)
	} else if a.duck() {
		a.functions[name] = true
	}
	if cut, ok := a.dayCutCall(name, x, e); ok {
		return cut
	}
	args := a.callArgs(name, x, e)
	v = combine(v, args)
	for i := range x.OrderBy {
		v = combine(v, a.sortKey(&x.OrderBy[i], e))
	}
	for i := range x.WithinGroup {
		v = combine(v, a.sortKey(&x.WithinGroup[i], e))
	}
	if name == "unpack" {
		a.pinSpread(e)
	}
	if x.Filter != nil {
		spread := a.spread
		cond := a.expr(x.Filter, e)
		if a.spread > spread {
			a.pinSpread(e)
		}
		decided(cond)
		v = combine(v, cond)
	}
	a.window(x.Over, e)
	rows := f.form != single || !known || x.Over != nil || x.Filter != nil || x.Quantifier != grammar.NoQuantifier || len(x.OrderBy)+len(x.WithinGroup) > 0
	if rows {
		// An aggregate, a window, a generator, or a function that may be any of them: the value of its arguments decides.
		decided(v)
		v.row = true
	}
	if !a.duck() && !stringFunctions[name] && !textFunctions[name] && !choiceFunctions[name] {
		v = activate(v)
	}
	switch {
	case stringFunctions[name]:
		v = computed(v)
	case choiceFunctions[name]:
		v = settle(coerce(v))
		v.text, v.literal = v.text || v.literal && len(x.Args) > 1, false
	case name == "to_date" || name == "to_timestamp" || name == "date" || name == "timestamp" || name == "try_to_date" || name == "try_to_timestamp":
		if len(x.Args) == 1 {
			v = plain(a.toDate(v, x.Start))
		} else {
			v = plain(settle(v))
		}
	default:
		v = plain(settle(v))
	}
	if kind := a.volatile(name, f, known, x); kind != pure {
		return settle(merge(v, a.call(name, kind, x.Start)))
	}
	return v
}

// volatile is the kind of a call: for some functions it hangs on the number of their arguments.
func (a *analysis) volatile(name string, f function, known bool, x *grammar.Call) volatility {
	if !known {
		return pure // it is opaque, which is more
	}
	switch {
	case name == "unix_timestamp" && !a.duck() && len(x.Args) == 0:
		return kindAlways
	case name == "to_unix_timestamp" && len(x.Args) == 0:
		return kindAlways
	case name == "age" && a.duck() && (len(x.Args) == 1 && x.Receiver == nil && len(x.Name.Parts) == 1 || len(x.Args) == 0):
		return kindAlways // the distance from now; x.age() too
	}
	return f.kind
}

// joinClause is the name of a function that IDENTIFIER('..') gives.
func joinClause(name *grammar.Name) string {
	s := ""
	for i, part := range nameParts(name, nil) {
		if i > 0 {
			s += "."
		}
		s += part
	}
	return s
}

// isKnownColumn tells whether dotted parts surely are a column, or a column of an item, of this place.
func (a *analysis) isKnownColumn(parts []grammar.Ident, e *env) bool {
	if e.scope == nil {
		return false
	}
	if len(parts) == 1 {
		return a.known(e.scope, lower(parts[0].Text)).n > 0
	}
	for _, it := range e.scope.byName(lower(parts[0].Text)) {
		if _, ok := a.find(it.rel, lower(parts[1].Text)); ok {
			return true
		}
	}
	return false
}

// callArgs resolves the arguments of a call.
func (a *analysis) callArgs(name string, x *grammar.Call, e *env) value {
	v := value{}
	for i, arg := range x.Args {
		if star, ok := arg.(*grammar.Star); ok && name == "count" && len(x.Args) == 1 && x.Quantifier == grammar.NoQuantifier && (a.duck() || len(star.Qualifier) == 0) {
			// It counts rows, whatever their columns.
			if len(star.Qualifier) > 0 {
				a.qualifiedStar(&star.Qualifier, e)
			}
			v.row = true
			continue
		}
		if names, body, ok := arrowLambda(arg); ok && a.duck() && (lambdaFunctions[name] || lambdaFunctions[lastPart(name)]) {
			params := make([]string, len(names))
			for j := range names {
				params[j] = names[j].Text
			}
			v = combine(v, a.lambda(params, body, e))
			continue
		}
		place := e
		if c, column := stripParens(arg).(*grammar.Column); column && namesFields(lastPart(name)) {
			named := *e
			named.caseData, named.field = true, true
			place = &named
			// DuckDB calls the field as the table does, but behind GROUP BY as it is written here (T30).
			a.keep[&c.Parts[len(c.Parts)-1]] = true
		}
		item := a.expr(arg, place)
		if i == 0 && (name == "if" || name == "iff" || name == "nvl2") {
			decided(item)
			item.latent, item.literal, item.text = nil, false, false
		}
		literal := v.literal || item.literal
		v = combine(v, item)
		v.literal = literal
	}
	if name == "count" && len(x.Args) == 0 {
		v.row = true
	}
	return v
}

// namesFields tells whether a function calls the fields of its result after the columns that are its arguments. Those without a schema in front are
// meant; a user's function of such a name costs nothing.
func namesFields(name string) bool {
	return name == "struct" || name == "named_struct" || name == "row" || name == "arrays_zip" || strings.HasPrefix(name, "struct_")
}

func lastPart(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return name
}

// arrowLambda splits DuckDB's x -> body and (x, y) -> body.
func arrowLambda(x grammar.Expr) (names []*grammar.Ident, body grammar.Expr, ok bool) {
	b, ok := x.(*grammar.Binary)
	if !ok || len(b.Rest) != 1 || b.Rest[0].Op != "->" {
		return nil, nil, false
	}
	items := []grammar.Expr{b.First}
	switch first := b.First.(type) {
	case *grammar.Row:
		items = first.Items
	case *grammar.Paren:
		items = []grammar.Expr{first.X}
	}
	for _, item := range items {
		c, ok := item.(*grammar.Column)
		if !ok || len(c.Parts) != 1 {
			return nil, nil, false
		}
		names = append(names, &c.Parts[0])
	}
	return names, b.Rest[0].X, true
}

// dayCutCall resolves date(now()), to_date(now()) and date_trunc('day', now()).
func (a *analysis) dayCutCall(name string, x *grammar.Call, e *env) (value, bool) {
	switch {
	case (name == "date" || name == "to_date") && len(x.Args) == 1:
		return a.dayCut(x.Args[0], e)
	case (name == "date_trunc" || name == "datetrunc") && len(x.Args) == 2:
		unit, ok := x.Args[0].(*grammar.String)
		if ok && (lower(unit.Value) == "day" || lower(unit.Value) == "dd" && !a.duck()) {
			return a.dayCut(x.Args[1], e)
		}
	}
	return value{}, false
}

// sortKey resolves the ORDER BY of an aggregate.
func (a *analysis) sortKey(s *grammar.Sort, e *env) value {
	if _, ok := s.X.(*grammar.All); ok {
		return value{}
	}
	v := a.expr(s.X, e)
	decided(v)
	return v
}

// isGenerator tells whether an expression is a call that makes rows of its argument.
func isGenerator(d grammar.Dialect, x grammar.Expr) bool {
	c, ok := stripParens(x).(*grammar.Call)
	if !ok || len(c.Name.Parts) != 1 {
		return false
	}
	name := lower(c.Name.Parts[0].Text)
	if d == grammar.DuckDB {
		return name == "unnest" || name == "generate_subscripts" || name == "regexp_split_to_table"
	}
	f, known := builtin(d, name)
	return known && f.form == generator && name != "range"
}
