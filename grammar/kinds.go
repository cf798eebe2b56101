package grammar

import "strings"

// The kinds of statements of each dialect by their first words, see kinds.

var sparkKinds, duckKinds kinds

func init() { // not in the declaration: the kinds refer to themselves through nested statements
	sparkKinds = kinds{
		"INSERT":              statementOf[Insert](),
		"UPDATE":              statementOf[Update](),
		"DELETE":              statementOf[Delete](),
		"MERGE":               statementOf[Merge](),
		"TRUNCATE":            statementOf[Truncate](),
		"COPY":                statementOf[CopyInto](),
		"CREATE TABLE":        statementOf[CreateTable](),
		"CREATE STREAMING":    statementOf[CreateTable](),
		"REPLACE TABLE":       statementOf[CreateTable](),
		"CREATE VIEW":         statementOf[CreateView](),
		"CREATE MATERIALIZED": statementOf[CreateView](),
		"CREATE FLOW":         statementOf[CreateFlow](),
		"APPLY":               statementOf[ApplyChanges](),
		"CREATE FUNCTION":     statementOf[CreateFunction](),
		"CREATE PROCEDURE":    scripted(statementOf[CreateFunction]()),
		"CREATE INDEX":        statementOf[CreateIndex](),
		"CREATE BLOOMFILTER":  statementOf[CreateIndex](),
		"UNDROP":              statementOf[Undrop](),
		"CONSTRAINT":          statementOf[Expectation](),
		"OPTIMIZE":            statementOf[Optimize](),
		"VACUUM":              statementOf[Vacuum](),
		"RESTORE":             statementOf[Restore](),
		"REORG":               statementOf[Reorg](),
		"CONVERT":             statementOf[Convert](),
		"FSCK":                statementOf[Repair](),
		"MSCK":                statementOf[Repair](),
		"REPAIR":              statementOf[Repair](),
		"GENERATE":            statementOf[Generate](),
		"ANALYZE":             statementOf[Analyze](),
		"REFRESH":             statementOf[Refresh](),
		"CACHE":               statementOf[Cache](),
		"UNCACHE":             statementOf[Uncache](),
		"CLEAR":               statementOf[Uncache](),
		"COMMENT":             statementOf[CommentOn](),
		"GRANT":               statementOf[Grant](),
		"REVOKE":              statementOf[Grant](),
		"DENY":                statementOf[Grant](),
		"EXPLAIN":             statementOf[Explain](),
		"DESCRIBE":            statementOf[Describe](),
		"DESC":                statementOf[Describe](),
		"SHOW":                statementOf[Show](),
		"USE":                 statementOf[Use](),
		"SET":                 sparkSet(),
		"UNSET":               statementOf[SetTag](),
		"RESET":               statementOf[Reset](),
		"CALL":                statementOf[CallProcedure](),
		"DECLARE":             statementOf[Declare](),
		"EXECUTE":             statementOf[ExecuteImmediate](),
		"ADD":                 statementOf[Resource](),
		"LIST":                statementOf[Resource](),
		"LOAD":                statementOf[LoadData](),
		"BEGIN":               scripted(statementOf[Script](), scriptItemGrammar),
		"DROP":                statementOf[Drop](),
		"BEGIN TRANSACTION":   statementOf[SparkTransaction](),
		"COMMIT":              statementOf[SparkTransaction](),
		"ROLLBACK":            statementOf[SparkTransaction](),
	}
	alter, object, schema := statementOf[Alter](), statementOf[AlterObject](), statementOf[CreateSchema]()
	for _, kind := range []string{"TABLE", "VIEW", "MATERIALIZED", "STREAMING"} {
		sparkKinds["ALTER "+kind] = alter
	}
	for _, kind := range []string{"SCHEMA", "DATABASE", "NAMESPACE", "CATALOG", "VOLUME", "SHARE", "RECIPIENT", "CONNECTION",
		"LOCATION"} {
		sparkKinds["CREATE "+kind] = schema
		sparkKinds["ALTER "+kind] = object
	}
	for _, kind := range []string{"FUNCTION", "PROCEDURE", "PROVIDER", "STORAGE", "CREDENTIAL"} {
		sparkKinds["ALTER "+kind] = object
	}
	duckKinds = kinds{
		"INSERT":   statementOf[DuckInsert](),
		"UPDATE":   statementOf[DuckUpdate](),
		"DELETE":   statementOf[DuckDelete](),
		"MERGE":    statementOf[DuckMerge](),
		"TRUNCATE": statementOf[DuckTruncate](),
		"COPY":     statementOf[DuckCopy](),

		"CREATE TABLE": statementOf[DuckCreateTable](),
		"CREATE VIEW":  statementOf[DuckCreateView](),
		"COMMENT":      statementOf[CommentOn](),
	}
	change := statementOf[DuckAlter]()
	for _, kind := range []string{"TABLE", "VIEW", "SEQUENCE", "SCHEMA", "DATABASE", "INDEX", "TYPE"} {
		duckKinds["ALTER "+kind] = change
	}
}

// scripted marks a kind that has semicolons inside.
func scripted(k kindOf, more ...func() string) kindOf {
	return kindOf{ebnf: func() string {
		text := k.ebnf()
		for _, f := range more {
			text += "\n" + f()
		}
		return text
	}, parse: func(p *parser) Statement {
		p.script = true
		s := k.parse(p)
		if x, ok := s.(*Script); ok && x.Label.Present() {
			p.refuse(x.Label.Start, "the block has no label", "")
		}
		return s
	}}
}

// sparkSet tells the kinds of SET apart. Whatever has no syntax of its own is free text.
func sparkSet() kindOf {
	text, variable, zone := statementOf[SetText](), statementOf[SetVariable](), statementOf[SetTimeZone]()
	catalog, tag := statementOf[SetCatalog](), statementOf[SetTag]()
	return kindOf{
		ebnf: func() string {
			return text.ebnf() + "\n" + variable.ebnf() + "\n" + zone.ebnf() + "\n" + catalog.ebnf() + "\n" + tag.ebnf()
		},
		parse: func(p *parser) Statement {
			word, next := p.wordAt(1), p.look(2)
			ends := next.kind == kEOF || next.kind == kSemicolon
			switch {
			case (word == "VAR" || word == "VARIABLE") && (p.isLabel(next) || next.kind == kLParen) || p.inScript:
				return variable.parse(p)
			case word == "TIME" && p.wordAt(2) == "ZONE":
				return zone.parse(p)
			case word == "CATALOG" && !ends:
				return catalog.parse(p)
			case word == "TAG" && p.wordAt(2) == "ON":
				return tag.parse(p)
			}
			return text.parse(p)
		},
	}
}

// wordAt returns the word n tokens behind the cursor in upper case, or nothing.
func (p *parser) wordAt(n int) string {
	if t := p.look(n); t.kind == kWord {
		return strings.ToUpper(p.text(t))
	}
	return ""
}

// scriptItemGrammar is the grammar of what ScriptItems has.
func scriptItemGrammar() string { return scriptItem().String() }
