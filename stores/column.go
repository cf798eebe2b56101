package stores

import (
	"fmt"
	"strconv"
)

// Column is one column of the state table.
type Column struct {
	Name string
	// Int: a bigint; every other column is text.
	Int bool
	// Added: not part of spec 8.1, so a table made by an older hodor may lack it and is upgraded on the first write.
	Added bool
	// JSON: the value, where there is one, must be a JSON text.
	JSON  bool
	field func(*Record) any // *string, **string, *int64 or **int64
}

// Columns are the columns of the state table in the order of the DDL. A later hodor that adds one adds it at the end, and a store that finds
// a column that is not listed here refuses the table: it can't know what the column takes back (commit_id did).
var Columns = []Column{
	{Name: "record_id", field: func(r *Record) any { return &r.RecordID }},
	{Name: "invocation_id", field: func(r *Record) any { return &r.InvocationID }},
	{Name: "recorded_at_ms", Int: true, field: func(r *Record) any { return &r.RecordedAtMS }},
	{Name: "project_name", field: func(r *Record) any { return &r.ProjectName }},
	{Name: "target_name", field: func(r *Record) any { return &r.TargetName }},
	{Name: "node_key", field: func(r *Record) any { return &r.NodeKey }},
	{Name: "unique_id", field: func(r *Record) any { return &r.UniqueID }},
	{Name: "resource_type", field: func(r *Record) any { return &r.ResourceType }},
	{Name: "mode", field: func(r *Record) any { return &r.Mode }},
	{Name: "decision", field: func(r *Record) any { return &r.Decision }},
	{Name: "reason", field: func(r *Record) any { return &r.Reason }},
	{Name: "action", field: func(r *Record) any { return &r.Action }},
	{Name: "status", field: func(r *Record) any { return &r.Status }},
	{Name: "text_hash", field: func(r *Record) any { return &r.TextHash }},
	{Name: "code_hash", field: func(r *Record) any { return &r.CodeHash }},
	{Name: "unrendered_hash", field: func(r *Record) any { return &r.UnrenderedHash }},
	{Name: "config_hash", field: func(r *Record) any { return &r.ConfigHash }},
	{Name: "hash_version", field: func(r *Record) any { return &r.HashVersion }},
	{Name: "sql_facts", JSON: true, field: func(r *Record) any { return &r.SQLFacts }},
	{Name: "data_version", field: func(r *Record) any { return &r.DataVersion }},
	{Name: "data_changed_at_ms", Int: true, field: func(r *Record) any { return &r.DataChangedAtMS }},
	{Name: "built_at_ms", Int: true, field: func(r *Record) any { return &r.BuiltAtMS }},
	{Name: "upstreams", JSON: true, field: func(r *Record) any { return &r.Upstreams }},
	{Name: "test_result", JSON: true, field: func(r *Record) any { return &r.TestResult }},
	{Name: "hodor_version", field: func(r *Record) any { return &r.HodorVersion }},
	{Name: "commit_id", Added: true, field: func(r *Record) any { return &r.CommitID }},
	{Name: "build_ms", Added: true, Int: true, field: func(r *Record) any { return &r.BuildMS }},
	{Name: "checksum", Added: true, field: func(r *Record) any { return &r.Checksum }},
}

// CommitColumns are those of the commit table, <table>_commit.
var CommitColumns = []Column{
	{Name: "project_name"}, {Name: "target_name"}, {Name: "generation", Int: true}, {Name: "commit_id"}, {Name: "at_ms", Int: true},
}

// Value returns what the column stores for r: nil (NULL), an int64, or a string that is escaped already.
func (c *Column) Value(r *Record) any {
	switch f := c.field(r).(type) {
	case *string:
		return EscapeText(*f)
	case **string:
		if *f != nil {
			return EscapeText(**f)
		}
	case *int64:
		return *f
	case **int64:
		if *f != nil {
			return **f
		}
	}
	return nil
}

// SetValue puts a stored value into r: nil, string or []byte, int64 or the digits of one. The error names the column, never the value.
func (c *Column) SetValue(r *Record, v any) error {
	switch f := c.field(r).(type) {
	case *string:
		s, ok, err := c.text(v)
		if err == nil && !ok {
			err = fmt.Errorf("column %s is NULL", c.Name)
		}
		*f = s
		return err
	case **string:
		s, ok, err := c.text(v)
		*f = nil
		if ok {
			*f = &s
		}
		return err
	case *int64:
		n, ok, err := c.integer(v)
		if err == nil && !ok {
			err = fmt.Errorf("column %s is NULL", c.Name)
		}
		*f = n
		return err
	case **int64:
		n, ok, err := c.integer(v)
		*f = nil
		if ok {
			*f = &n
		}
		return err
	}
	return nil
}

// text unescapes a stored text; false: it is NULL.
func (c *Column) text(v any) (string, bool, error) {
	var stored string
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		stored = v
	case []byte:
		stored = string(v)
	default:
		return "", false, fmt.Errorf("column %s is of type %T instead of text", c.Name, v)
	}
	s, err := UnescapeText(stored)
	if err != nil {
		return "", false, fmt.Errorf("column %s: %w", c.Name, err)
	}
	return s, true, nil
}

// integer reads a stored integer; the relay hands numbers over as text. false: it is NULL.
func (c *Column) integer(v any) (int64, bool, error) {
	switch v := v.(type) {
	case nil:
		return 0, false, nil
	case int64:
		return v, true, nil
	case int32:
		return int64(v), true, nil
	case []byte:
		return c.integer(string(v))
	case string:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return 0, false, fmt.Errorf("column %s is no integer", c.Name)
		}
		return n, true, nil
	}
	return 0, false, fmt.Errorf("column %s is of type %T instead of bigint", c.Name, v)
}
