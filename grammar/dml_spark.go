package grammar

// Statements of Databricks that change rows.

// Insert is every form of INSERT of Databricks:
//
//	INSERT [WITH SCHEMA EVOLUTION] {INTO | OVERWRITE} [TABLE] t [AS alias] [WITH (options)] [PARTITION (..) [IF NOT EXISTS]]
//	  [BY NAME | (column, ...)] [REPLACE {WHERE e | ON e | USING (column, ...)}] query [[AS] alias]
//	INSERT OVERWRITE [LOCAL] DIRECTORY ['path'] {USING source [OPTIONS (..)] | [ROW FORMAT ..] [STORED AS format]} query
type Insert struct {
	tagged
	With         *With
	Evolution    bool             `parser:"'INSERT' ( @'WITH' 'SCHEMA' 'EVOLUTION' )?"`
	Overwrite    bool             `parser:"( 'INTO' | @'OVERWRITE' )"`
	Directory    *InsertDirectory `parser:"( @@"`
	Table        Name             `parser:"| ( 'TABLE' (?! 'SELECT' | 'VALUES' | 'FROM' | '(' ) )? @@" sql:"target"`
	Alias        Ident            `parser:"( 'AS' @@ | (?! ( 'BY' 'NAME' ) | 'REPLACE' | 'PARTITION' | 'IF' | 'WITH' | 'SELECT' | 'VALUES' | 'TABLE' | 'FROM' | 'MAP' | 'REDUCE' ) @@ )?"`
	Options      *Options         `parser:"( 'WITH' @@ )?"`
	Partition    *Partition       `parser:"@@?"`
	IfNotExists  bool             `parser:"( @'IF' 'NOT' 'EXISTS' )?"`
	ByName       bool             `parser:"( @'BY' 'NAME'"`
	Columns      *ColumnList      `parser:"| @@ )?"`
	ReplaceWhere *Subject         `parser:"( 'REPLACE' ( 'WHERE' @@"`
	ReplaceOn    *Subject         `parser:"| 'ON' @@"`
	ReplaceUsing []Ident          `parser:"| 'USING' '(' @@ ( ',' @@ )* ')' ) )? )"`
	Query        *Query           `parser:"@@"`
	QueryAlias   Ident            `parser:"( 'AS' @@ | (?! 'INSERT' | 'SELECT' | 'MAP' | 'REDUCE' ) @@ )?"`
}

func (*Insert) isStatement()      {}
func (x *Insert) setWith(w *With) { x.With, x.Start = w, w.Start }

func (x *Insert) check(p *parser) {
	if x.QueryAlias.Present() && x.ReplaceOn == nil && x.ReplaceWhere == nil && x.ReplaceUsing == nil {
		p.refuse(x.QueryAlias.Start, "only the query of INSERT .. REPLACE has an alias", "")
	}
	if x.Alias.Present() && x.ReplaceOn == nil && x.ReplaceWhere == nil && x.ReplaceUsing == nil {
		p.refuse(x.Alias.Start, "only the table of INSERT .. REPLACE has an alias", "")
	}
}

// InsertDirectory is the target of INSERT OVERWRITE DIRECTORY.
type InsertDirectory struct {
	tagged
	Local     bool       `parser:"@'LOCAL'? 'DIRECTORY'"`
	Path      *Text      `parser:"@@?"`
	Using     *Name      `parser:"( 'USING' @@"`
	Options   *Options   `parser:"( 'OPTIONS' @@ )? )?"`
	RowFormat *RowFormat `parser:"@@?"`
	Stored    *Stored    `parser:"@@?"`
}

// MultiInsert is FROM item, ... INSERT .. SELECT .. INSERT .. SELECT .. (Databricks). From has no select list; the queries
// of the inserts have no FROM.
type MultiInsert struct {
	Span
	With    *With
	From    *Select
	Inserts []*Insert
}

func (*MultiInsert) isStatement() {}

func (x *MultiInsert) print(p *printer) {
	if x.With != nil {
		x.With.print(p)
		p.s(" ")
	}
	x.From.print(p)
	for _, i := range x.Inserts {
		p.s(" ")
		i.print(p)
	}
}

// parseMultiInsert parses the inserts behind a leading FROM; see fromStatement.
func parseMultiInsert(p *parser, with *With, from *Select) Statement {
	from.NoSelect = true
	x := &MultiInsert{With: with, From: from}
	for p.is(kwInsert) {
		i := parseOther(p, nil).(*Insert)
		if s, ok := i.Query.Body.(*Select); ok && len(s.From) > 0 {
			p.refuse(s.From[0].Bounds().Start, "FROM stands before the first INSERT only", "")
		}
		x.Inserts = append(x.Inserts, i)
	}
	start := from.Start
	if with != nil {
		start = with.Start
	}
	x.Span = p.since(start)
	return x
}

// Update is UPDATE t [[AS] alias] SET column = expr, ... [WHERE e] (Databricks).
type Update struct {
	tagged
	With   *With
	Target Target       `parser:"'UPDATE' @@" sql:"target"`
	Set    []Assignment `parser:"'SET' @@ ( ',' @@ )*"`
	Where  Expr         `parser:"( 'WHERE' @@ )?"`
}

func (*Update) isStatement()      {}
func (x *Update) setWith(w *With) { x.With, x.Start = w, w.Start }

func (x *Update) check(p *parser) {
	for i := range x.Set {
		if x.Set[i].Row {
			p.refuse(x.Set[i].Start, "UPDATE sets one column at a time", "")
		}
	}
}

// Delete is DELETE FROM t [[AS] alias] [WHERE e] (Databricks).
type Delete struct {
	tagged
	With   *With
	Target Target `parser:"'DELETE' 'FROM' @@" sql:"target"`
	Where  Expr   `parser:"( 'WHERE' @@ )?"`
}

func (*Delete) isStatement()      {}
func (x *Delete) setWith(w *With) { x.With, x.Start = w, w.Start }

// Truncate is TRUNCATE TABLE t [PARTITION (..)] (Databricks).
type Truncate struct {
	tagged
	Table     Name       `parser:"'TRUNCATE' 'TABLE' @@" sql:"target"`
	Partition *Partition `parser:"@@?"`
}

func (*Truncate) isStatement() {}

// Merge is MERGE of Databricks:
//
//	MERGE [WITH SCHEMA EVOLUTION] INTO t [[AS] a] USING item ON e
//	  WHEN {MATCHED | NOT MATCHED [BY TARGET | BY SOURCE]} [AND e] THEN {UPDATE SET .. | DELETE | INSERT ..} ...
type Merge struct {
	tagged
	With      *With
	Evolution bool        `parser:"'MERGE' ( @'WITH' 'SCHEMA' 'EVOLUTION' )?"`
	Target    Target      `parser:"'INTO' @@" sql:"target"`
	Source    FromItem    `parser:"'USING' @@"`
	On        Expr        `parser:"'ON' @@"`
	Clauses   []MergeWhen `parser:"@@+"`
}

func (*Merge) isStatement()      {}
func (x *Merge) setWith(w *With) { x.With, x.Start = w, w.Start }

// MergeWhen is one WHEN clause of a Merge. Kind is MATCHED, NOT MATCHED, NOT MATCHED BY TARGET or NOT MATCHED BY SOURCE.
type MergeWhen struct {
	tagged
	Kind   Keyword      `parser:"'WHEN' ( @'MATCHED' | @'NOT' @'MATCHED' ( @'BY' @( 'SOURCE' | 'TARGET' ) )? )"`
	And    Expr         `parser:"( 'AND' @@ )?"`
	Delete bool         `parser:"'THEN' ( @'DELETE'"`
	Update *MergeUpdate `parser:"| 'UPDATE' 'SET' @@"`
	Insert *MergeInsert `parser:"| 'INSERT' @@ )"`
}

func (x *MergeWhen) check(p *parser) {
	inserts := x.Kind == "NOT MATCHED" || x.Kind == "NOT MATCHED BY TARGET"
	switch {
	case inserts && x.Insert == nil:
		p.refuse(x.Start, "WHEN NOT MATCHED can only INSERT", "")
	case !inserts && x.Insert != nil:
		p.refuse(x.Insert.Start, "only WHEN NOT MATCHED can INSERT", "")
	}
}

// MergeUpdate is what stands behind UPDATE SET: * [EXCEPT (column, ...)] or column = expr, ...
type MergeUpdate struct {
	tagged
	Star   bool         `parser:"( @'*'"`
	Except []Name       `parser:"( 'EXCEPT' '(' @@ ( ',' @@ )* ')' )?"`
	Set    []Assignment `parser:"| @@ ( ',' @@ )* )"`
}

// MergeInsert is what stands behind INSERT: * [EXCEPT (column, ...)] or (column, ...) VALUES (expr, ...)
type MergeInsert struct {
	tagged
	Star    bool   `parser:"( @'*'"`
	Except  []Name `parser:"( 'EXCEPT' '(' @@ ( ',' @@ )* ')' )?"`
	Columns []Name `parser:"| '(' @@ ( ',' @@ )* ')'"`
	Values  []Expr `parser:"'VALUES' '(' @@ ( ',' @@ )* ')' )"`
}

// CopyInto is COPY INTO of Databricks:
//
//	COPY INTO t [BY POSITION | (column, ...)] FROM {path | (query over a path)} FILEFORMAT = format
//	  [VALIDATE [ALL | n ROWS]] [FILES = ('a', ...) | PATTERN = 'p'] [FORMAT_OPTIONS (..)] [COPY_OPTIONS (..)]
type CopyInto struct {
	tagged
	Table      Name         `parser:"'COPY' 'INTO' @@" sql:"target"`
	ByPosition bool         `parser:"( @'BY' 'POSITION'"`
	Columns    *ColumnList  `parser:"| @@ )?"`
	Select     *CopySelect  `parser:"'FROM' ( @@"`
	Source     *CopySource  `parser:"| @@ )"`
	Format     Keyword      `parser:"'FILEFORMAT' '=' @Word"`
	Clauses    []CopyClause `parser:"@@*"`
}

func (*CopyInto) isStatement() {}

// CopySource is where COPY INTO reads: a path, or a table, with credentials.
type CopySource struct {
	tagged
	Path *Text      `parser:"( @@"`
	Name *Name      `parser:"| @@ )" sql:"read"`
	With []CopyWith `parser:"( 'WITH' '(' @@ @@* ')' )?"`
}

// CopyWith is CREDENTIAL or ENCRYPTION of a CopySource.
type CopyWith struct {
	tagged
	Kind    Keyword  `parser:"@( 'CREDENTIAL' | 'ENCRYPTION' )"`
	Name    *Name    `parser:"( @@"`
	Options *Options `parser:"| @@ )"`
}

// CopySelect is (SELECT item, ... FROM path) of COPY INTO.
type CopySelect struct {
	tagged
	Items  []SelectItem `parser:"'(' 'SELECT' @@ ( ',' @@ )*"`
	Source CopySource   `parser:"'FROM' @@ ')'"`
}

// CopyClause is one of the clauses that end a COPY INTO.
type CopyClause struct {
	tagged
	Validate      bool     `parser:"  @'VALIDATE'"`
	ValidateAll   bool     `parser:"  ( @'ALL'"`
	ValidateRows  *Number  `parser:"  | @@ 'ROWS' )?"`
	Files         []Text   `parser:"| 'FILES' '=' '(' @@ ( ',' @@ )* ')'"`
	Pattern       *Text    `parser:"| 'PATTERN' '=' @@"`
	FormatOptions *Options `parser:"| 'FORMAT_OPTIONS' @@"`
	CopyOptions   *Options `parser:"| 'COPY_OPTIONS' @@"`
}
