package normalize

import (
	"hodor/grammar"
)

// Names of one type. A type can't be shadowed by a user's in either dialect, so these are safe wherever the name is not printed.
var typeNames = map[grammar.Dialect]map[string]string{
	grammar.Databricks: {
		"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint", "real": "float", "dec": "decimal", "numeric": "decimal",
		"character": "char",
	},
	grammar.DuckDB: {
		"bool": "boolean", "logical": "boolean", "int1": "tinyint", "int2": "smallint", "short": "smallint", "int": "integer", "int4": "integer",
		"signed": "integer", "int8": "bigint", "long": "bigint", "int128": "hugeint", "uint8": "utinyint", "uint16": "usmallint",
		"uint32": "uinteger", "uint64": "ubigint", "uint128": "uhugeint", "float4": "float", "real": "float", "float8": "double",
		"double precision": "double", "dec": "decimal", "numeric": "decimal", "char": "varchar", "bpchar": "varchar", "text": "varchar",
		"string": "varchar", "nvarchar": "varchar", "character": "varchar", "character varying": "varchar", "bytea": "blob", "binary": "blob", "varbinary": "blob",
		"bitstring": "bit", "datetime": "timestamp", "guid": "uuid",
	},
}

// typeName gives the names of one type one spelling, and writes the default precision of DECIMAL out (Databricks).
func (s *spelling) typeName(t *grammar.TypeName) {
	if len(t.Name.Parts) != 1 {
		return
	}
	p := &t.Name.Parts[0]
	name := lower(p.Text)
	if known, ok := typeNames[s.dialect][name]; ok {
		name = known
	} else if !knownTypes[s.dialect][name] {
		return // a user's type
	}
	p.Text = name
	if s.dialect == grammar.DuckDB {
		if name == "varchar" && len(t.Args) == 1 {
			if _, ok := t.Args[0].(*grammar.Number); ok {
				t.Args, t.Parens = nil, false // DuckDB ignores the length
			}
		}
		if (name == "timestamp" || name == "time") && t.Zone == grammar.WithoutZone {
			t.Zone = grammar.NoZone
		}
		return
	}
	if name == "decimal" {
		if len(t.Args) == 0 {
			t.Args = append(t.Args, &grammar.Number{Text: "10"})
		}
		if len(t.Args) == 1 {
			t.Args = append(t.Args, &grammar.Number{Text: "0"})
		}
		t.Parens = true
	}
}

// knownTypes are the built-in types whose case is free.
var knownTypes = map[grammar.Dialect]map[string]bool{
	grammar.Databricks: set("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "string", "char", "varchar", "binary", "date",
		"timestamp", "timestamp_ltz", "timestamp_ntz", "time", "variant", "void", "geometry", "geography", "interval"),
	grammar.DuckDB: set("boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint",
		"float", "double", "decimal", "varchar", "blob", "bit", "date", "time", "timestamp", "timestamptz", "timetz", "timestamp_s", "timestamp_ms",
		"timestamp_us", "timestamp_ns", "uuid", "json", "interval", "bignum", "varint", "variant"),
}
