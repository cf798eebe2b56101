package grammar

// Maintenance, information, rights and session statements of Databricks.

// Optimize is OPTIMIZE t [FULL] [WHERE e] [ZORDER BY (column, ...)] (Databricks).
type Optimize struct {
	tagged
	Table  TableRef `parser:"'OPTIMIZE' @@"`
	Full   bool     `parser:"@'FULL'?"`
	Where  Expr     `parser:"( 'WHERE' @@ )?"`
	ZOrder []Name   `parser:"( 'ZORDER' 'BY' ( '(' @@ ( ',' @@ )* ')' | @@ ( ',' @@ )* ) )?"`
}

func (*Optimize) isStatement() {}

// TableRef is a table, or the path of one as a string (Databricks).
type TableRef struct {
	tagged
	Path *Text `parser:"  @@"`
	Name *Name `parser:"| @@" sql:"target"`
}

// Vacuum is VACUUM t [FULL | LITE] [RETAIN n HOURS] [DRY RUN], in any order (Databricks).
type Vacuum struct {
	tagged
	Table   TableRef       `parser:"'VACUUM' @@"`
	Clauses []VacuumClause `parser:"@@*"`
}

func (*Vacuum) isStatement() {}

// VacuumClause is one clause of a Vacuum.
type VacuumClause struct {
	tagged
	Mode   Keyword `parser:"  @( 'FULL' | 'LITE' )"`
	Retain *Number `parser:"| 'RETAIN' @@ ( 'HOURS' | 'HOUR' )"`
	DryRun bool    `parser:"| @'DRY' 'RUN'"`
	Using  *Query  `parser:"| 'USING' 'INVENTORY' ( '(' @@ ')'"`
	Table  *Name   `parser:"  | @@ )" sql:"read"`
}

// Restore is RESTORE [TABLE] t [TO] {VERSION | TIMESTAMP} AS OF x (Databricks).
type Restore struct {
	tagged
	Table TableRef `parser:"'RESTORE' 'TABLE'? @@ 'TO'?"`
	Kind  Keyword  `parser:"@( 'VERSION' | 'TIMESTAMP' ) 'AS' 'OF'"`
	At    Expr     `parser:"@@"`
}

func (*Restore) isStatement() {}

// Reorg is REORG TABLE t [WHERE e] APPLY ({PURGE | UPGRADE UNIFORM (..)}) (Databricks).
type Reorg struct {
	tagged
	Table   TableRef `parser:"'REORG' 'TABLE' @@"`
	Where   Expr     `parser:"( 'WHERE' @@ )?"`
	Purge   bool     `parser:"'APPLY' '(' ( @'PURGE'"`
	Uniform *Number  `parser:"| 'UPGRADE' 'UNIFORM' '(' 'ICEBERG_COMPAT_VERSION' '=' @@ ')' ) ')'"`
}

func (*Reorg) isStatement() {}

// Convert is CONVERT TO DELTA t [NO STATISTICS] [PARTITIONED BY (column type, ...)] (Databricks).
type Convert struct {
	tagged
	Table        TableRef    `parser:"'CONVERT' 'TO' 'DELTA' @@"`
	NoStatistics bool        `parser:"( @'NO' 'STATISTICS' )?"`
	Partitioned  []ColumnDef `parser:"( 'PARTITIONED' 'BY' '(' @@ ( ',' @@ )* ')' )?"`
	Late         bool        `parser:"( @'NO' 'STATISTICS' )?"`
}

func (*Convert) isStatement() {}

// Repair is {FSCK | MSCK} REPAIR TABLE t .. and REPAIR TABLE t .. (Databricks).
type Repair struct {
	tagged
	Verb   Keyword  `parser:"@( 'FSCK' | 'MSCK' )? 'REPAIR' 'TABLE'"`
	Table  TableRef `parser:"@@"`
	Action Keyword  `parser:"( @( 'ADD' | 'DROP' | 'SYNC' ) @'PARTITIONS' | @'SYNC' @'METADATA' )?"`
	DryRun bool     `parser:"( @'DRY' 'RUN' )?"`
}

func (*Repair) isStatement() {}

// Generate is GENERATE mode FOR TABLE t (Databricks).
type Generate struct {
	tagged
	Mode  Ident    `parser:"'GENERATE' @@"`
	Table TableRef `parser:"'FOR' 'TABLE' @@"`
}

func (*Generate) isStatement() {}

// Analyze is ANALYZE of Databricks:
//
//	ANALYZE TABLE t [PARTITION (..)] COMPUTE [DELTA] STATISTICS [NOSCAN | FOR COLUMNS column, ... | FOR ALL COLUMNS]
//	ANALYZE TABLES [{FROM | IN} schema] COMPUTE STATISTICS [NOSCAN]
type Analyze struct {
	tagged
	Tables     bool       `parser:"'ANALYZE' ( @'TABLES'"`
	Schema     *Name      `parser:"  ( ( 'IN' | 'FROM' ) @@ )?"`
	Table      *Name      `parser:"| 'TABLE' @@" sql:"target"`
	Partition  *Partition `parser:"  @@? ) 'COMPUTE'"`
	Delta      bool       `parser:"@'DELTA'? 'STATISTICS'"`
	AllColumns bool       `parser:"( 'FOR' ( @'ALL' 'COLUMNS'"`
	Columns    []Name     `parser:"  | 'COLUMNS' @@ ( ',' @@ )* )"`
	NoScan     bool       `parser:"| @'NOSCAN' )?"`
}

func (*Analyze) isStatement() {}

// Refresh is REFRESH [TABLE | FUNCTION | [MATERIALIZED] VIEW | STREAMING TABLE] x [FULL | SYNC | ASYNC] and REFRESH path
// (Databricks).
type Refresh struct {
	tagged
	Kind Keyword   `parser:"'REFRESH' ( @( 'TABLE' | 'FUNCTION' | 'MATERIALIZED' 'VIEW' | 'STREAMING' 'TABLE' | 'FOREIGN' ( 'TABLE' | 'SCHEMA' | 'CATALOG' ) )"`
	Name *Name     `parser:"  @@" sql:"target"`
	Full Keyword   `parser:"  @( 'FULL' | 'SYNC' | 'ASYNC' )*"`
	Path *FreeText `parser:"| @@ )"`
}

func (*Refresh) isStatement() {}

// Cache is CACHE [LAZY] TABLE t [OPTIONS (..)] [[AS] query] (Databricks).
type Cache struct {
	tagged
	Lazy    bool     `parser:"'CACHE' ( @'LAZY'?"`
	Table   *Name    `parser:"'TABLE' @@" sql:"target"`
	Options *Options `parser:"( 'OPTIONS' @@ )?"`
	Query   *Query   `parser:"( 'AS'? @@ )?"`
	Only    *Query   `parser:"| @@ )"`
}

func (*Cache) isStatement() {}

// Uncache is UNCACHE TABLE [IF EXISTS] t and CLEAR CACHE (Databricks).
type Uncache struct {
	tagged
	Clear    bool  `parser:"( @'CLEAR' 'CACHE'"`
	IfExists bool  `parser:"| 'UNCACHE' 'TABLE' ( @'IF' 'EXISTS' )?"`
	Table    *Name `parser:"  @@ )" sql:"target"`
}

func (*Uncache) isStatement() {}

// CommentOn is COMMENT ON kind name IS {'text' | NULL}.
type CommentOn struct {
	tagged
	Kind Keyword `parser:"'COMMENT' 'ON' @( 'TABLE' | 'VIEW' | 'COLUMN' | 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' | 'VOLUME' | 'FUNCTION' | 'PROCEDURE' | 'CONNECTION' | 'PROVIDER' | 'RECIPIENT' | 'SHARE' | 'INDEX' | 'SEQUENCE' | 'TYPE' | 'MACRO' 'TABLE' | 'MACRO' )"`
	Name Name    `parser:"@@ 'IS'" sql:"target"`
	Null bool    `parser:"( @'NULL'"`
	Text *Text   `parser:"| @@ )"`
}

func (*CommentOn) isStatement() {}

// Grant is GRANT and REVOKE, and the older DENY (Databricks):
//
//	GRANT privilege, ... ON [kind] name TO principal      REVOKE privilege, ... ON [kind] name FROM principal
type Grant struct {
	tagged
	Verb       Keyword     `parser:"@( 'GRANT' | 'REVOKE' | 'DENY' )"`
	Privileges []Privilege `parser:"@@ ( ',' @@ )*"`
	On         *Securable  `parser:"( 'ON' @@ )?"`
	Direction  Keyword     `parser:"@( 'TO' | 'FROM' ) 'RECIPIENT'?"`
	Principal  Principal   `parser:"@@"`
	Others     []Principal `parser:"( ',' @@ )*"`
	Option     bool        `parser:"( @'WITH' 'GRANT' 'OPTION' )?"`
}

func (*Grant) isStatement() {}

// Privilege is one or more words: SELECT, ALL PRIVILEGES, USE SCHEMA. A role in quotes is one name.
type Privilege struct {
	tagged
	Words Keyword `parser:"  ( (?! 'ON' | 'TO' | 'FROM' ) @Word )+"`
	Role  *Ident  `parser:"| @@"`
}

// Securable is what rights are given on.
type Securable struct {
	tagged
	Kind Keyword `parser:"( @( 'TABLE' | 'VIEW' | 'MATERIALIZED' 'VIEW' | 'SCHEMA' | 'DATABASE' | 'CATALOG' | 'VOLUME' | 'FUNCTION' | 'PROCEDURE' | 'METASTORE' | 'SHARE' | 'CONNECTION' | 'EXTERNAL' 'LOCATION' | 'EXTERNAL' 'METADATA' | 'STORAGE' 'CREDENTIAL' | 'SERVICE' 'CREDENTIAL' | 'CREDENTIAL' | 'CLEAN' 'ROOM' | 'ANY' 'FILE' | 'ANONYMOUS' 'FUNCTION' | 'MODEL' | 'PIPELINE' ) )?"`
	Name *Name   `parser:"( (?! 'TO' | 'FROM' ) @@ )?" sql:"target"`
}

// Explain is EXPLAIN [EXTENDED | FORMATTED | CODEGEN | COST | LOGICAL] statement (Databricks).
type Explain struct {
	tagged
	Mode      Keyword   `parser:"'EXPLAIN' @( 'EXTENDED' | 'FORMATTED' | 'CODEGEN' | 'COST' | 'LOGICAL' )?"`
	Statement Statement `parser:"@@"`
}

func (*Explain) isStatement() {}

// Describe is DESCRIBE of Databricks:
//
//	{DESCRIBE | DESC} {QUERY query | FUNCTION [EXTENDED] f | {SCHEMA | CATALOG | VOLUME | ..} [EXTENDED] x | {HISTORY | DETAIL} t
//	  | [TABLE] [EXTENDED | FORMATTED] t [PARTITION (..)] [column] [AS JSON]}
type Describe struct {
	tagged
	Query     *Query         `parser:"( 'DESCRIBE' | 'DESC' ) ( ( 'QUERY' @@ | (?! 'TABLE' ) @@ )"`
	Function  *FunctionRef   `parser:"| 'FUNCTION' @@"`
	Functions bool           `parser:"| @'FUNCTIONS'"`
	Kind      Keyword        `parser:"| @( 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' | 'VOLUME' | 'PROCEDURE' | 'SHARE' | 'RECIPIENT' | 'PROVIDER' | 'CONNECTION' | 'EXTERNAL' 'LOCATION' | 'STORAGE' 'CREDENTIAL' | 'CREDENTIAL' )"`
	KindExt   bool           `parser:"  @'EXTENDED'?"`
	Object    *Name          `parser:"  @@" sql:"read"`
	KindJSON  bool           `parser:"  ( @'AS' 'JSON' )?"`
	Delta     Keyword        `parser:"| @( 'HISTORY' | 'DETAIL' ) (?= Word | Quoted | String | Param | ':' )"`
	DeltaOf   *DescribeDelta `parser:"  @@"`
	Table     *DescribeTable `parser:"| @@ )"`
}

func (*Describe) isStatement() {}

// DescribeDelta is t [LIMIT n].
type DescribeDelta struct {
	tagged
	Path  *Text `parser:"( @@"`
	Name  *Name `parser:"| (?! 'LIMIT' Number ) @@ )" sql:"read"`
	Limit Expr  `parser:"( 'LIMIT' @@ )?"`
}

// DescribeTable is [TABLE] [EXTENDED | FORMATTED] t [PARTITION (..)] [column] [AS JSON].
type DescribeTable struct {
	tagged
	Mode      Keyword    `parser:"( 'TABLE' (?= Word | Quoted ) )? ( @( 'EXTENDED' | 'FORMATTED' ) (?= Word | Quoted ) )?"`
	Table     Name       `parser:"@@" sql:"read"`
	Partition *Partition `parser:"@@?"`
	Column    *Name      `parser:"( (?! 'AS' 'JSON' ) @@ )?"`
	JSON      bool       `parser:"( @'AS' 'JSON' )?"`
}

// FunctionRef is [EXTENDED] function; also an operator or a string.
type FunctionRef struct {
	tagged
	Extended bool   `parser:"@'EXTENDED'?"`
	Name     *Name  `parser:"( @@"`
	Text     *Text  `parser:"| @@"`
	Operator string `parser:"| @Symbol )"`
}

// Show is SHOW of Databricks, with all its kinds; the fields say what was written.
type Show struct {
	tagged
	Create    bool         `parser:"'SHOW' ( @'CREATE' ( 'TABLE' | 'VIEW' )"`
	CreateOf  *Name        `parser:"    @@" sql:"read"`
	AsSerde   bool         `parser:"    ( @'AS' 'SERDE' )?"`
	Columns   *ShowColumns `parser:"| 'COLUMNS' @@"`
	Part      *Name        `parser:"| 'PARTITIONS' @@" sql:"read"`
	Partition *Partition   `parser:"    @@?"`
	Props     *Name        `parser:"| 'TBLPROPERTIES' @@" sql:"read"`
	PropKey   *Options     `parser:"    @@?"`
	Extended  bool         `parser:"| @'TABLE' 'EXTENDED'"`
	ExtIn     *Name        `parser:"    ( ( 'IN' | 'FROM' ) @@ )?"`
	ExtLike   *Text        `parser:"    'LIKE' @@"`
	ExtPart   *Partition   `parser:"    @@?"`
	Functions Keyword      `parser:"| ( @'FUNCTIONS' | @( 'USER' | 'SYSTEM' | 'ALL' ) @'FUNCTIONS' )"`
	FuncIn    *Name        `parser:"    ( ( 'IN' | 'FROM' ) @@ )?"`
	FuncLike  *Pattern     `parser:"    ( 'LIKE'? @@ )?"`
	Grants    bool         `parser:"| @( 'GRANTS' | 'GRANT' )"`
	GrantsTo  *Principal   `parser:"    ( (?! 'ON' ) @@ )?"`
	GrantsOn  *Securable   `parser:"    ( 'ON' @@ )?"`
	Current   bool         `parser:"| @'CURRENT' ( 'NAMESPACE' | 'SCHEMA' | 'DATABASE' )"`
	Dropped   bool         `parser:"| ( @'TABLES' 'DROPPED'"`
	Kind      Keyword      `parser:"    | @( 'TABLES' | 'VIEWS' | 'SCHEMAS' | 'DATABASES' | 'NAMESPACES' | 'CATALOGS' | 'VOLUMES' | 'PROCEDURES' | 'USERS' | 'GROUPS' | 'SHARES' | 'RECIPIENTS' | 'PROVIDERS' | 'CONNECTIONS' | 'CREDENTIALS' | 'EXTERNAL' 'LOCATIONS' | 'STORAGE' 'CREDENTIALS' | 'VARIABLES' | 'COLLATIONS' | 'ROLES' | 'POLICIES' | 'MATERIALIZED' 'VIEWS' | 'STREAMING' 'TABLES' | 'CACHED' 'TABLES' ) )"`
	In        *Name        `parser:"    ( ( 'IN' | 'FROM' | 'ON' ) @@ )?"`
	Like      *Pattern     `parser:"    ( 'LIKE'? @@ )? )"`
}

func (*Show) isStatement() {}

// ShowColumns is {IN | FROM} t [{IN | FROM} schema].
type ShowColumns struct {
	tagged
	Table  Name  `parser:"( 'IN' | 'FROM' ) @@" sql:"read"`
	Schema *Name `parser:"( ( 'IN' | 'FROM' ) @@ )?"`
}

// Pattern is what SHOW compares names with: a string, or a name.
type Pattern struct {
	tagged
	Text *Text `parser:"  @@"`
	Name *Name `parser:"| @@"`
}

// Use is USE [SCHEMA | DATABASE | NAMESPACE | CATALOG] name, and SET CATALOG name (Databricks).
type Use struct {
	tagged
	Kind Keyword `parser:"'USE' ( @( 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' ) (?= Word | Quoted | String | Param | ':' ) )?"`
	Name *Name   `parser:"( @@" sql:"target"`
	Text *Text   `parser:"| @@ )"`
}

func (*Use) isStatement() {}

// SetText is SET of a configuration key, which is free text: SET, SET -v, SET key, SET key = value, and every other SET that
// has no syntax of its own (Databricks).
type SetText struct {
	tagged
	Set  bool     `parser:"@'SET'"`
	Text FreeText `parser:"@@?"`
}

func (*SetText) isStatement() {}

// SetVariable is SET VAR x = e, ... and SET VAR (x, ..) = (query); in scripts without VAR (Databricks).
type SetVariable struct {
	tagged
	Variable bool         `parser:"'SET' ( @( 'VARIABLE' | 'VAR' ) (?! '=' ) )?"`
	Vars     []Name       `parser:"( '(' @@ ( ',' @@ )* ')' '='"`
	Query    *NestedQuery `parser:"  @@"`
	Items    []Assignment `parser:"| @@ ( ',' @@ )* )"`
}

func (*SetVariable) isStatement() {}

// NestedQuery is a query in parentheses as a part of a statement.
type NestedQuery struct {
	tagged
	Query Query `parser:"'(' @@ ')'"`
}

// SetTimeZone is SET TIME ZONE {LOCAL | 'zone' | interval} (Databricks).
type SetTimeZone struct {
	tagged
	Local bool `parser:"'SET' 'TIME' 'ZONE' ( @'LOCAL'"`
	Zone  Expr `parser:"| @@ )"`
}

func (*SetTimeZone) isStatement() {}

// SetCatalog is SET CATALOG name (Databricks).
type SetCatalog struct {
	tagged
	Name *Name `parser:"'SET' 'CATALOG' ( @@" sql:"target"`
	Text *Text `parser:"| @@ )"`
}

func (*SetCatalog) isStatement() {}

// SetTag is SET TAG ON kind name tag [= value] and UNSET TAG ON kind name tag (Databricks).
type SetTag struct {
	tagged
	Verb  Keyword   `parser:"@( 'SET' | 'UNSET' ) 'TAG' 'ON'"`
	On    Keyword   `parser:"@( 'CATALOG' | 'SCHEMA' | 'DATABASE' | 'TABLE' | 'VIEW' | 'VOLUME' | 'COLUMN' )"`
	Name  Name      `parser:"@@" sql:"target"`
	Tag   Principal `parser:"@@"`
	Value Expr      `parser:"( '=' @@ )?"`
}

func (*SetTag) isStatement() {}

// Reset is RESET [key] (Databricks).
type Reset struct {
	tagged
	Reset bool     `parser:"@'RESET'"`
	Text  FreeText `parser:"@@?"`
}

func (*Reset) isStatement() {}

// CallProcedure is CALL procedure(argument, ...).
type CallProcedure struct {
	tagged
	Call Expr `parser:"'CALL' @@"`
}

func (*CallProcedure) isStatement() {}

func (x *CallProcedure) check(p *parser) {
	if _, ok := x.Call.(*Call); !ok {
		p.refuse(x.Call.Bounds().Start, "CALL needs a procedure with arguments in parentheses", "")
	}
}

// Declare is DECLARE [OR REPLACE] [VARIABLE] name, ... [type] [{DEFAULT | =} e] (Databricks).
type Declare struct {
	tagged
	OrReplace bool     `parser:"'DECLARE' ( @'OR' 'REPLACE' )? ( (?! ( 'VARIABLE' | 'VAR' ) 'DEFAULT' ( Number | String ) ) ( 'VARIABLE' | 'VAR' ) (?= Word | Quoted ) )?"`
	Names     []Name   `parser:"@@ ( ',' @@ )*"`
	Type      DataType `parser:"( (?! 'DEFAULT' ) @@ )?"`
	Value     Expr     `parser:"( ( 'DEFAULT' | '=' ) @@ )?"`
}

func (*Declare) isStatement() {}

// ExecuteImmediate is EXECUTE IMMEDIATE e [INTO variable, ...] [USING e [AS name], ...] (Databricks).
type ExecuteImmediate struct {
	tagged
	Text  Expr       `parser:"'EXECUTE' 'IMMEDIATE' @@"`
	Into  []Name     `parser:"( 'INTO' @@ ( ',' @@ )* )?"`
	Using *UsingArgs `parser:"( 'USING' @@ )?"`
}

func (*ExecuteImmediate) isStatement() {}

// Resource is {ADD | LIST} {FILE | JAR | ARCHIVE ...} path (Databricks): free text.
type Resource struct {
	tagged
	Verb Keyword  `parser:"@( 'ADD' | 'LIST' )"`
	Kind Keyword  `parser:"@( 'FILES' | 'FILE' | 'JARS' | 'JAR' | 'ARCHIVES' | 'ARCHIVE' )"`
	Path FreeText `parser:"@@?"`
}

func (*Resource) isStatement() {}

// LoadData is LOAD DATA [LOCAL] INPATH 's' [OVERWRITE] INTO TABLE t [PARTITION (..)] (Databricks).
type LoadData struct {
	tagged
	Local     bool       `parser:"'LOAD' 'DATA' @'LOCAL'?"`
	Path      Text       `parser:"'INPATH' @@"`
	Overwrite bool       `parser:"@'OVERWRITE'? 'INTO' 'TABLE'"`
	Table     Name       `parser:"@@" sql:"target"`
	Partition *Partition `parser:"@@?"`
}

func (*LoadData) isStatement() {}

// SparkTransaction is BEGIN TRANSACTION, COMMIT and ROLLBACK (Databricks).
type SparkTransaction struct {
	tagged
	Words Keyword `parser:"@( 'BEGIN' 'TRANSACTION' | 'COMMIT' | 'ROLLBACK' )"`
}

func (*SparkTransaction) isStatement() {}
