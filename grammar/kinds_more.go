package grammar

import "maps"

func init() {
	drop, update, extensions := statementOf[DuckDrop](), duckKinds["UPDATE"], statementOf[UpdateExtensions]()
	maps.Copy(duckKinds, kinds{
		"SET":   quiet(statementOf[DuckSet]()),
		"RESET": statementOf[DuckReset](),
		"UPDATE": { // a table may be called extensions
			parse: func(p *parser) Statement {
				next := p.look(2).kind
				if p.look(1).word == kwExtensions && (next == kEOF || next == kSemicolon || next == kLParen) {
					return extensions.parse(p)
				}
				return update.parse(p)
			},
			ebnf: func() string { return update.ebnf() + extensions.ebnf() },
		},
		"PRAGMA":           quiet(statementOf[Pragma]()),
		"CALL":             quiet(statementOf[DuckCall]()),
		"ATTACH":           quiet(statementOf[Attach]()),
		"DETACH":           statementOf[Detach](),
		"USE":              statementOf[DuckUse](),
		"INSTALL":          statementOf[Install](),
		"FORCE INSTALL":    statementOf[Install](),
		"LOAD":             statementOf[Load](),
		"CONNECT":          quiet(statementOf[Connect]()),
		"DISCONNECT":       statementOf[Disconnect](),
		"CHECKPOINT":       statementOf[Checkpoint](),
		"FORCE CHECKPOINT": statementOf[Checkpoint](),
		"BEGIN":            statementOf[Transaction](),
		"START":            statementOf[Transaction](),
		"COMMIT":           statementOf[Transaction](),
		"END":              statementOf[Transaction](),
		"ROLLBACK":         statementOf[Transaction](),
		"ABORT":            statementOf[Transaction](),
		"VACUUM":           statementOf[DuckVacuum](),
		"ANALYZE":          statementOf[DuckAnalyze](),
		"ANALYSE":          statementOf[DuckAnalyze](),
		"PREPARE":          statementOf[Prepare](),
		"EXECUTE":          statementOf[Execute](),
		"DEALLOCATE":       statementOf[Deallocate](),
		"EXPLAIN":          statementOf[DuckExplain](),
		"EXPORT":           statementOf[ExportDatabase](),
		"IMPORT":           statementOf[ImportDatabase](),
		"CREATE TYPE":      statementOf[CreateType](),
		"CREATE SEQUENCE":  statementOf[CreateSequence](),
		"CREATE INDEX":     statementOf[DuckCreateIndex](),
		"CREATE SCHEMA":    statementOf[DuckCreateSchema](),
		"CREATE MACRO":     statementOf[CreateMacro](),
		"CREATE FUNCTION":  statementOf[CreateMacro](),
		"CREATE SECRET":    quiet(statementOf[CreateSecret]()),
		"DROP TABLE":       drop,
		"DROP VIEW":        drop,
		"DROP SEQUENCE":    drop,
		"DROP INDEX":       drop,
		"DROP SCHEMA":      drop,
		"DROP TYPE":        drop,
		"DROP FUNCTION":    drop,
		"DROP MACRO":       drop,
		"DROP SECRET":      statementOf[DropSecret](),
		"DROP TRIGGER":     statementOf[DropTrigger](),
	})
}
