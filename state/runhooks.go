package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"hodor/grammar"
	"hodor/project"
)

// runEffects is what the on-run-start or on-run-end hooks of a project may do.
type runEffects struct {
	// writes are relations that they write, by key; anything: they may write any.
	writes   map[string]bool
	anything bool
	// session is a hash of the texts that may change the settings of the session, "" if none does; unknown: a text is not known.
	session string
	unknown bool
}

// harmless tells whether the hooks write nothing at all.
func (e runEffects) harmless() bool { return len(e.writes) == 0 && !e.anything }

// effectsOf analyses rendered hooks; a nil text may do anything.
func effectsOf(texts []*string, dialect grammar.Dialect, catalog, schema string) runEffects {
	e := runEffects{writes: map[string]bool{}}
	session := sha256.New()
	changes := false
	for _, text := range texts {
		if text == nil {
			e.anything, e.unknown = true, true
			continue
		}
		if project.HookIsHarmless(*text) {
			continue
		}
		file, err := grammar.Parse(*text, dialect)
		if err != nil {
			e.anything, changes = true, true
			fmt.Fprintf(session, "%d:%s", len(*text), *text)
			continue
		}
		for _, s := range file.Statements {
			if statementEffects(s, &e, catalog, schema) {
				changes = true
				fmt.Fprintf(session, "%d:%s", len(*text), *text)
			}
		}
	}
	if changes {
		e.session = hex.EncodeToString(session.Sum(nil))
	}
	return e
}

// statementEffects adds what one statement writes; it reports true if the statement may change the session.
func statementEffects(s grammar.Statement, e *runEffects, catalog, schema string) (session bool) {
	switch s.(type) {
	case *grammar.Grant, *grammar.CommentOn, *grammar.Analyze, *grammar.Optimize, *grammar.Vacuum, *grammar.DuckVacuum, *grammar.DuckAnalyze:
		return false
	case *grammar.Query, *grammar.CreateSchema, *grammar.DuckCreateSchema:
		return false
	case *grammar.Use, *grammar.SetText, *grammar.SetVariable, *grammar.SetTimeZone, *grammar.SetCatalog, *grammar.Reset, *grammar.DuckSet, *grammar.DuckReset:
		return true
	case *grammar.CreateTable, *grammar.DuckCreateTable:
		if temporary(s) {
			break // it may hide a table
		}
		targets(s, e, catalog, schema)
		return false
	case *grammar.Insert, *grammar.DuckInsert, *grammar.Update, *grammar.DuckUpdate, *grammar.Delete, *grammar.DuckDelete, *grammar.Merge, *grammar.DuckMerge,
		*grammar.Truncate, *grammar.DuckTruncate:
		targets(s, e, catalog, schema)
		return false
	}
	e.anything = true
	return true
}

// temporary tells whether a table is one of the session.
func temporary(s grammar.Statement) bool {
	switch s := s.(type) {
	case *grammar.CreateTable:
		return s.Temporary || s.Global
	case *grammar.DuckCreateTable:
		return s.Temporary || s.Local != ""
	}
	return true
}

// targets adds what a statement writes, by the names in it.
func targets(s grammar.Statement, e *runEffects, catalog, schema string) {
	named := false
	grammar.Objects(s, func(role grammar.Role, name *grammar.Name) {
		if role != grammar.RoleTarget {
			return
		}
		named = true
		var parts []string
		for i := range name.Parts {
			if name.Parts[i].Quote == grammar.ClauseQuote {
				e.anything = true
				return
			}
			parts = append(parts, name.Parts[i].Text)
		}
		switch {
		case name.Dynamic != nil || len(parts) == 0 || len(parts) > 3:
			e.anything = true
			return
		case len(parts) == 1:
			parts = []string{catalog, schema, parts[0]}
		case len(parts) == 2:
			parts = []string{catalog, parts[0], parts[1]}
		}
		e.writes[project.Key(parts)] = true
	})
	if !named {
		e.anything = true
	}
}
