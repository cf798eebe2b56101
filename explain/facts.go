package explain

import (
	"encoding/json"
	"slices"
	"strings"

	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
)

// Facts are the keys of a record's sql_facts (docs/records.md) that explanations use. The zero value is a record that has none.
type Facts struct {
	Dialect  string                    `json:"dialect"`
	Catalog  string                    `json:"catalog"`
	Schema   string                    `json:"schema"`
	Level    string                    `json:"level"`
	Tables   [][]string                `json:"tables"`
	Paths    []string                  `json:"paths"`
	Views    map[string]View           `json:"views"`
	Literals *normalize.SaltedLiterals `json:"literals"`
	SQL      string                    `json:"sql"`
	Decided  Decided                   `json:"decided"`
}

// View is a view that a node read through.
type View struct {
	Code       string `json:"code"`
	Definition string `json:"definition"`
}

// Decided is what the decision looked at beyond the rest of the record.
type Decided struct {
	Kind           string            `json:"kind"`
	LagToleranceMS int64             `json:"lag_tolerance_ms"`
	RequireAll     bool              `json:"require_all"`
	Evidence       []Evidence        `json:"evidence"`
	Unknown        map[string]string `json:"unknown"`
	Why            string            `json:"why"`
}

// Evidence is one comparison that stands nowhere else in the record; an empty Then or Now was not known.
type Evidence struct {
	What string `json:"what"`
	Then string `json:"then"`
	Now  string `json:"now"`
}

// FactsOf decodes r's sql_facts; what can't be decoded is the zero value.
func FactsOf(r *stores.Record) Facts {
	if r == nil || r.SQLFacts == nil {
		return Facts{}
	}
	return ParseFacts(*r.SQLFacts)
}

// ParseFacts decodes a text of sql_facts; what can't be decoded is the zero value.
func ParseFacts(text string) Facts {
	var f Facts
	if json.Unmarshal([]byte(text), &f) != nil {
		return Facts{}
	}
	return f
}

// upstreams decodes r's upstreams.
func upstreams(r *stores.Record) map[string]string {
	var u map[string]string
	if r == nil || r.Upstreams == nil || json.Unmarshal([]byte(*r.Upstreams), &u) != nil {
		return nil
	}
	return u
}

// kind is the kind of a record's node; a record of an older hodor does not name it.
func kind(r *stores.Record, f Facts) string {
	switch {
	case f.Decided.Kind != "":
		return f.Decided.Kind
	case r.ResourceType != "model":
		return r.ResourceType
	case r.DataVersion != nil && strings.HasPrefix(*r.DataVersion, "view:"):
		return "view"
	case r.DataVersion != nil:
		return "table"
	}
	return ""
}

// reads lists what a record's SQL names, as keys of upstreams and views: what the node reads at first hand.
func (f Facts) reads() []string {
	var keys []string
	for _, parts := range f.Tables {
		switch len(parts) {
		case 1:
			parts = append([]string{f.Catalog, f.Schema}, parts...)
		case 2:
			parts = append([]string{f.Catalog}, parts...)
		}
		keys = append(keys, project.Key(parts))
	}
	return append(keys, f.Paths...)
}

// Name is the name of a node in a unique id: without resource type and package, and without the hash that ends a test's.
func Name(uniqueID string) string {
	parts := strings.Split(uniqueID, ".")
	switch {
	case len(parts) < 3:
		return uniqueID
	case parts[0] == "test" && len(parts) > 3:
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts[2:], ".")
}

// Matches tells whether a record is of the node that a user named: by unique id, by name, or by relation, of which the last parts are enough.
// Quotes and case of a relation do not matter.
func Matches(r *stores.Record, name string) bool {
	if name == r.UniqueID || name == Name(r.UniqueID) {
		return true
	}
	if r.ResourceType == "test" {
		return false
	}
	parts, ok := project.ParseName(name)
	if !ok {
		return false
	}
	key := project.Key(parts)
	return key == r.NodeKey || strings.HasSuffix(r.NodeKey, "."+key)
}

// Kind is the kind of a record's node: table, incremental, view, seed, snapshot, test or unsupported; empty where the record does not tell.
func Kind(r *stores.Record) string { return kind(r, FactsOf(r)) }

// Reads lists what a node reads at first hand: keys of relations and paths, and names such as volatile:date. What comes in through a view stands
// with the view.
func Reads(r *stores.Record) []string {
	f := FactsOf(r)
	out := f.reads()
	for name := range upstreams(r) {
		relation := !strings.HasPrefix(name, "volatile:") && !strings.HasPrefix(name, "opaque:")
		if !slices.Contains(out, name) && (!relation || len(f.Views) == 0) {
			out = append(out, name)
		}
	}
	out = slices.DeleteFunc(out, func(name string) bool { return name == r.NodeKey })
	slices.Sort(out)
	return slices.Compact(out)
}
