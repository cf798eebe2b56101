package normalize

import (
	"strings"

	"hodor/grammar"
)

// What becomes a date or timestamp, and which strings and calls read the clock there (S25, kind date).

// cast resolves a conversion.
func (a *analysis) cast(x *grammar.Cast, e *env) value {
	day, moment := a.dateType(x.Type)
	if day {
		if v, ok := a.dayCut(x.X, e); ok {
			return v
		}
	}
	a.typeNames(x.Type, e)
	v := a.expr(x.X, e)
	if day || moment {
		return plain(a.toDate(v, x.Start))
	}
	return combine(v)
}

// toDate is a value that becomes a date or timestamp. Databricks computes strings of constants beforehand, so that they may read the clock
// too (S25).
func (a *analysis) toDate(v value, start int32) value {
	v = activate(v)
	if v.text && !v.row && !a.duck() {
		v = merge(v, a.call("cast", kindAlways, start))
		decided(v)
	}
	return settle(v)
}

// dateType tells whether a type is DATE (day) or a timestamp (moment).
func (a *analysis) dateType(t grammar.DataType) (day, moment bool) {
	name, ok := t.(*grammar.TypeName)
	if !ok || len(name.Name.Parts) != 1 {
		return false, false
	}
	switch lower(name.Name.Parts[0].Text) {
	case "date":
		return true, false
	case "timestamp", "timestamp_ltz", "timestamp_ntz", "timestamptz", "datetime":
		return false, true
	}
	return false, false
}

// clocks are the calls that read the moment; cut to the day right away, they are of kind date.
var clocks = map[grammar.Dialect]map[string]bool{
	grammar.Databricks: set("now", "current_timestamp", "localtimestamp", "getdate"),
	grammar.DuckDB: set("now", "current_timestamp", "localtimestamp", "transaction_timestamp", "get_current_timestamp",
		"current_localtimestamp"),
}

// dayCut resolves a clock that is cut to the day right away.
func (a *analysis) dayCut(x grammar.Expr, e *env) (value, bool) {
	switch x := stripParens(x).(type) {
	case *grammar.Call:
		if len(x.Name.Parts) == 1 && len(x.Args) == 0 && x.Receiver == nil && x.Over == nil && x.Filter == nil {
			if name := lower(x.Name.Parts[0].Text); clocks[a.dialect][name] {
				return a.call(name, kindDate, x.Start), true
			}
		}
	case *grammar.Column:
		name := lower(x.Parts[0].Text)
		if len(x.Parts) == 1 && clocks[a.dialect][name] && a.bareWord(name) {
			if is, doubt := a.parameter(x.Parts[0].Text, e); is || doubt {
				return value{}, false
			}
			if _, f := a.lookup(name, e); f.how == foundWord {
				return a.call(name, kindDate, x.Start), true
			}
		}
	}
	return value{}, false
}

// typeNames resolves the arguments of a type.
func (a *analysis) typeNames(t grammar.DataType, e *env) {
	if name, ok := t.(*grammar.TypeName); ok {
		for _, x := range name.Args {
			// A word there is no name: GEOGRAPHY(ANY).
			if _, word := x.(*grammar.Column); !word {
				decided(a.expr(x, e))
			}
		}
	}
}

// stringValue is the value of a string literal.
func (a *analysis) stringValue(x *grammar.String) value {
	v := merge(value{literal: true}, a.placeholder(x))
	if a.duck() || x.Kind != grammar.StringText {
		return v
	}
	if word, kind := clockWord(x.Value); kind != pure {
		c := a.mem.volatiles.of(volatileCall{function: word, kind: kind, start: x.Start, latent: true})
		a.calls = append(a.calls, c)
		v.latent = a.mem.taints.of(taint{call: c})
	}
	return v
}

func (a *analysis) typedLiteral(x *grammar.TypedLiteral, e *env) value {
	v := a.stringValue(x.Value)
	if day, moment := a.dateType(x.Type); day || moment {
		v = activate(v)
	}
	v.latent = nil
	a.typeNames(x.Type, e)
	return plain(v)
}

// clockWord recognizes the strings by which Databricks reads the clock, in any case, with blanks around and a zone behind (S25).
func clockWord(s string) (string, volatility) {
	for len(s) > 0 && s[0] <= ' ' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	end := 0
	for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z') {
		end++
	}
	kind := pure
	word := lower(s[:end])
	switch word {
	case "now":
		kind = kindAlways
	case "today", "tomorrow", "yesterday":
		kind = kindDate
	}
	// What follows must look like a zone.
	for _, c := range strings.TrimLeft(s[end:], " \t") {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '/', c == '_', c == '+', c == '-', c == ':':
		default:
			return "", pure
		}
	}
	return word, kind
}
