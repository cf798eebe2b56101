package grammar

import (
	"reflect"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// tagged is embedded by the structs that participle fills. Pos and EndPos are participle's, and become the Span when the
// statement has been read (settle); trees that Parse returns have them zero.
type tagged struct {
	Span
	Pos    lexer.Position
	EndPos lexer.Position
}

func (t *tagged) place() *tagged { return t }

// Keyword is one or more engine words of a statement in upper case, joined by single blanks: OR REPLACE, FOR ALL COLUMNS.
type Keyword string

// Capture implements participle's Capture.
func (k *Keyword) Capture(words []string) error {
	for _, w := range words {
		if *k != "" {
			*k += " "
		}
		*k += Keyword(strings.ToUpper(w))
	}
	return nil
}

// Role says what a statement does to the object of a name, see Objects.
type Role uint8

// Roles of a name in a statement.
const (
	RoleTarget Role = iota + 1 // created, changed, filled or dropped
	RoleRead                   // read, or its definition is: CLONE, LIKE, REFERENCES, DESCRIBE
)

// roler is a production whose words decide what it does to its objects; r is what the tag says.
type roler interface{ role(r Role) Role }

// Objects calls visit with every name of a table or other object that s has outside its queries, expressions and FROM
// items, which Walk finds. Nested statements (EXPLAIN, PREPARE, scripts) are not entered.
func Objects(s Node, visit func(role Role, n *Name)) {
	if m, ok := s.(*MultiInsert); ok {
		for _, i := range m.Inserts {
			Objects(i, visit)
		}
		return
	}
	eachTagged(reflect.ValueOf(s).Elem(), func(v reflect.Value) {
		t := v.Type()
		for i := range t.NumField() {
			role, ok := roles[t.Field(i).Tag.Get("sql")]
			if !ok {
				continue
			}
			if own, ok := v.Addr().Interface().(roler); ok {
				role = own.role(role)
			}
			f := v.Field(i)
			switch x := f.Addr().Interface().(type) {
			case *Name:
				if x.Present() {
					visit(role, x)
				}
			case **Name:
				if *x != nil {
					visit(role, *x)
				}
			case *[]Name:
				for j := range *x {
					visit(role, &(*x)[j])
				}
			case *Target:
				visit(role, &x.Name)
			}
		}
	})
}

var roles = map[string]Role{"target": RoleTarget, "read": RoleRead}

var taggedType = reflect.TypeFor[tagged]()

// isTagged reports whether t embeds tagged as its first field.
func isTagged(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Type == taggedType
}

// eachTagged calls f with the production v and the productions inside, parents first. Statements inside are left out: they
// are reached through an interface.
func eachTagged(v reflect.Value, f func(v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && isTagged(v.Type().Elem()) {
			eachTagged(v.Elem(), f)
		}
	case reflect.Slice:
		e := v.Type().Elem()
		if isTagged(e) || e.Kind() == reflect.Pointer && isTagged(e.Elem()) {
			for i := range v.Len() {
				eachTagged(v.Index(i), f)
			}
		}
	case reflect.Struct:
		if !isTagged(v.Type()) {
			return
		}
		f(v)
		for i := 1; i < v.NumField(); i++ {
			if v.Type().Field(i).IsExported() {
				eachTagged(v.Field(i), f)
			}
		}
	}
}

// checker is a production with a rule that its tags can't say; check ends the parse if it is broken.
type checker interface{ check(p *parser) }

// settle turns participle's positions into spans and checks the rules of the productions.
func (p *parser) settle(x any) {
	eachTagged(reflect.ValueOf(x).Elem(), func(v reflect.Value) {
		t := v.Addr().Interface().(interface{ place() *tagged }).place()
		t.Start = int32(t.Pos.Offset)
		i := sort.Search(len(p.toks), func(i int) bool { return int(p.toks[i].start) >= t.EndPos.Offset })
		t.End = p.toks[max(0, i-1)].end
		if t.End < t.Start { // nothing was written
			t.Start = t.End
		}
		t.Pos, t.EndPos = lexer.Position{}, lexer.Position{}
		for j := 1; j < v.NumField(); j++ { // free text may end behind the last token that the lexer understood
			switch x := v.Field(j).Addr().Interface().(type) {
			case *FreeText:
				t.End = max(t.End, x.End)
			case **FreeText:
				if *x != nil {
					t.End = max(t.End, (*x).End)
				}
			}
		}
	})
	eachTagged(reflect.ValueOf(x).Elem(), func(v reflect.Value) {
		if c, ok := v.Addr().Interface().(checker); ok {
			c.check(p)
		}
	})
}

// productionsBuilt counts the parsers that participle has built. A run that meets queries only builds none.
var productionsBuilt atomic.Int32

func buildProduction[T any]() *participle.Parser[T] {
	productionsBuilt.Add(1)
	return participle.MustBuild[T](productionOptions()...)
}

// kindOf is one kind of statement: how it is read, and its grammar in EBNF.
type kindOf struct {
	parse func(*parser) Statement
	ebnf  func() string
}

// production is a kind of statement whose tags are those of T. Its parser is built when the first such statement comes.
func statementOf[T any, P interface {
	*T
	Statement
}]() kindOf {
	built := sync.OnceValue(buildProduction[T])
	return kindOf{
		parse: func(p *parser) Statement {
			start := p.i
			x := runProduction(p, built())
			if !p.at(kEOF) && !p.at(kSemicolon) && !p.at(kRParen) && !p.is(kwInsert) {
				explain(p, built(), start)
			}
			p.settle(x)
			return P(x)
		},
		ebnf: func() string { return built().String() },
	}
}

// kinds finds the kind of a statement by its first words: the verb, and for CREATE, ALTER and DROP the sort of object
// behind the modifiers.
type kinds map[string]kindOf

// modifiers are words between the verb and the sort of object.
var modifiers = map[string]bool{
	"OR": true, "REPLACE": true, "REFRESH": true, "TEMP": true, "TEMPORARY": true, "GLOBAL": true, "LOCAL": true,
	"PRIVATE": true, "EXTERNAL": true, "MANAGED": true, "FOREIGN": true, "UNIQUE": true, "PERSISTENT": true,
	"RECURSIVE": true, "SECURE": true, "LIVE": true, "UNLOGGED": true, "HYBRID": true,
}

// find returns the kind of the statement at the cursor. Where there is none, at is the number of words that were known.
func (k kinds) find(p *parser) (kind kindOf, at int, ok bool) {
	word := p.wordAt
	verb := word(0)
	if kind, ok = k[verb+" "+word(1)]; ok {
		return kind, 0, true
	}
	if kind, ok = k[verb]; ok {
		return kind, 0, true
	}
	n := 1
	for n < 6 && modifiers[word(n)] {
		if kind, ok = k[verb+" "+word(n)+" "+word(n+1)]; ok {
			return kind, 0, true
		}
		n++
	}
	if kind, ok = k[verb+" "+word(n)]; ok {
		return kind, 0, true
	}
	if k.verb(verb) {
		return kind, n, false
	}
	return kind, 0, false
}

// verb reports whether some statement starts with the word.
func (k kinds) verb(word string) bool {
	for key := range k {
		if first, _, two := strings.Cut(key, " "); two && first == word {
			return true
		}
	}
	return false
}

// objects lists, for an error, what may follow a verb.
func (k kinds) objects(verb string) string {
	var list []string
	for key := range k {
		if first, rest, two := strings.Cut(key, " "); two && first == verb {
			list = append(list, rest)
		}
	}
	sort.Strings(list)
	if len(list) > 1 {
		return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
	}
	return strings.Join(list, "")
}

func (p *parser) kinds() kinds {
	if p.d.In(DuckDB) {
		return duckKinds
	}
	return sparkKinds
}

// startsOther reports whether a statement that is no query starts at the cursor.
func (p *parser) startsOther() bool {
	t := p.peek()
	if t.kind != kWord {
		return false
	}
	if p.d.In(DuckDB) {
		switch t.word {
		case kwDescribe, kwDesc, kwShow, kwSummarize:
			return true
		}
	}
	word := strings.ToUpper(p.text(t))
	_, ok := p.kinds()[word]
	return ok || p.kinds().verb(word)
}

func init() {
	otherStatement = parseOther
	fromStatement = parseMultiInsert
}

// parseOther parses a statement that is no query; see otherStatement.
func parseOther(p *parser, with *With) Statement {
	if p.d.In(DuckDB) && with == nil {
		switch p.peek().word {
		case kwDescribe, kwDesc, kwShow, kwSummarize:
			return p.queryFrom(p.showQuery())
		}
	}
	kind, at, ok := p.kinds().find(p)
	if !ok {
		if at == 0 {
			p.fail("a statement")
		}
		verb := strings.ToUpper(p.text(p.peek()))
		p.i = min(p.i+at, len(p.toks)-1)
		p.fail(p.kinds().objects(verb))
	}
	p.enter()
	s := kind.parse(p)
	p.leave()
	if with != nil {
		w, ok := s.(withHolder)
		if !ok {
			p.refuse(s.Bounds().Start, "WITH can't stand before this statement", "")
		}
		w.setWith(with)
	}
	return s
}

// withHolder is a statement that WITH may stand before.
type withHolder interface{ setWith(*With) }

// nestedStatement parses a statement inside another one.
func (p *parser) nestedStatement() Statement {
	if p.startsStatementQuery() {
		return p.statementQuery()
	}
	return parseOther(p, nil)
}

func (p *parser) startsNested() bool { return p.startsStatementQuery() || p.startsOther() }
