package grammar

// DataType is a type as written: *TypeName, *ArrayType, *MapType, *StructType, *EnumType, *IntervalType. Synonyms are not
// folded here.
type DataType interface {
	Node
	isDataType()
}

// TypeName is a scalar or named type:
//
//	name [(arg, ...)] [{WITH|WITHOUT} TIME ZONE] [COLLATE collation]
//
// Types of several words (DOUBLE PRECISION, CHARACTER VARYING, NATIONAL CHARACTER) are one part with single blanks.
type TypeName struct {
	Span
	Name    Name
	Args    []Expr
	Parens  bool // ( ) was written, even if Args is empty
	Zone    Zone
	Collate Ident // Databricks: STRING COLLATE c
}

// Zone is the time zone suffix of a type.
type Zone uint8

// Time zone suffixes.
const (
	NoZone Zone = iota
	WithZone
	WithoutZone
)

// ArrayType is ARRAY<elem> (Databricks) or elem[], elem[n], elem ARRAY, elem ARRAY[n] (DuckDB).
type ArrayType struct {
	Span
	Elem DataType
	Size Expr // DuckDB: fixed size, or nil
}

// MapType is MAP<key, value> (Databricks) or MAP(key, value) (DuckDB).
type MapType struct {
	Span
	Key, Value DataType
}

// StructType is a type with named fields:
//
//	STRUCT<name[:] type [NOT NULL] [COMMENT 's'], ...>                       Databricks
//	STRUCT(name type, ...)   ROW(name type, ...)   UNION(name type, ...)     DuckDB
//	TUPLE(type, ...)                                                         DuckDB 2.0; the fields have no names
type StructType struct {
	Span
	Union  bool
	Tuple  bool
	Fields []Field
}

// Field is one field of a StructType.
type Field struct {
	Span
	Name    Ident
	Type    DataType
	NotNull bool
	Default Expr
	Comment *String
}

// EnumType is ENUM('a', ...) (DuckDB).
type EnumType struct {
	Span
	Values []Expr
	Query  *Query // CREATE TYPE .. AS ENUM (query)
}

// IntervalType is INTERVAL [unit [TO unit]], or INTERVAL(precision) (DuckDB 1.5).
type IntervalType struct {
	Span
	From, To  Ident
	Precision *Number
}
