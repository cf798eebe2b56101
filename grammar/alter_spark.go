package grammar

// ALTER of Databricks.

// Alter is ALTER {TABLE | VIEW | MATERIALIZED VIEW | STREAMING TABLE} name [PARTITION (..)] action (Databricks).
type Alter struct {
	tagged
	Kind      Keyword     `parser:"'ALTER' @( 'TABLE' | 'VIEW' | 'MATERIALIZED' 'VIEW' | 'STREAMING' 'TABLE' )"`
	Name      Name        `parser:"@@" sql:"target"`
	Partition *Partition  `parser:"@@?"`
	Action    AlterAction `parser:"@@"`
}

func (*Alter) isStatement() {}

// AlterAction is what an Alter does; exactly one group of fields is set.
type AlterAction struct {
	tagged
	Add         *AlterAdd      `parser:"  'ADD' @@"`
	Drop        *AlterDrop     `parser:"| 'DROP' @@"`
	Rename      *AlterRename   `parser:"| 'RENAME' @@"`
	Schedule    *Schedule      `parser:"| 'ALTER' ( @@"`
	Columns     []AlterColumn  `parser:"  | 'COLUMN'? @@ ( ',' @@ )* )"`
	Change      *AlterColumn   `parser:"| 'CHANGE' 'COLUMN'? @@"`
	Replace     []AddedColumn  `parser:"| 'REPLACE' ( 'COLUMNS' | 'COLUMN' ) '(' @@ ( ',' @@ )* ')'"`
	Set         *AlterSet      `parser:"| 'SET' @@"`
	UnsetExists bool           `parser:"| 'UNSET' ( 'TBLPROPERTIES' ( @'IF' 'EXISTS' )?"`
	Unset       *Options       `parser:"  @@"`
	UnsetTags   []Text         `parser:"  | 'TAGS' '(' @@ ( ',' @@ )* ')' )"`
	Cluster     *ClusterClause `parser:"| @@"`
	Collation   Ident          `parser:"| 'DEFAULT' 'COLLATION' @@"`
	Owner       *Principal     `parser:"| 'OWNER' 'TO' @@"`
	Recover     bool           `parser:"| @'RECOVER' 'PARTITIONS'"`
	Binding     Keyword        `parser:"| 'WITH' 'SCHEMA' @( 'BINDING' | 'COMPENSATION' | 'EVOLUTION' | 'TYPE' 'EVOLUTION' )"`
	Predictive  Keyword        `parser:"| @( 'ENABLE' | 'DISABLE' | 'INHERIT' ) 'PREDICTIVE' 'OPTIMIZATION'"`
	Query       *Query         `parser:"| 'AS'? @@"`
}

// AlterAdd is what stands behind ADD.
type AlterAdd struct {
	tagged
	IfNotExists bool             `parser:"( ( 'COLUMNS' | 'COLUMN' ) ( @'IF' 'NOT' 'EXISTS' )?"`
	Columns     []AddedColumn    `parser:"  ( '(' @@ ( ',' @@ )* ')' | @@ ( ',' @@ )* )"`
	Constraint  *TableConstraint `parser:"| @@"`
	Schedule    *Schedule        `parser:"| @@"`
	Exists      bool             `parser:"| ( @'IF' 'NOT' 'EXISTS' )?"`
	Partitions  []AddedPartition `parser:"  @@ ( ','? @@ )* )"`
}

// AddedColumn is name type attribute .. [FIRST | AFTER column].
type AddedColumn struct {
	tagged
	Name       Name             `parser:"@@"`
	Type       DataType         `parser:"@@"`
	Attributes []AddedAttribute `parser:"@@*"`
}

// AddedAttribute is an attribute or the place of an added column.
type AddedAttribute struct {
	tagged
	First     bool             `parser:"  @'FIRST'"`
	After     *Name            `parser:"| 'AFTER' @@"`
	Attribute *ColumnAttribute `parser:"| @@"`
}

// AddedPartition is PARTITION (..) [LOCATION 'path'].
type AddedPartition struct {
	tagged
	Partition Partition `parser:"@@"`
	Location  *Text     `parser:"( 'LOCATION' @@ )?"`
}

// AlterDrop is what stands behind DROP.
type AlterDrop struct {
	tagged
	Column     bool        `parser:"( @( 'COLUMNS' | 'COLUMN' )"`
	ColumnIf   bool        `parser:"  ( @'IF' 'EXISTS' )?"`
	Columns    []Name      `parser:"  ( '(' @@ ( ',' @@ )* ')' | @@ ( ',' @@ )* )"`
	Key        Keyword     `parser:"| @( 'CONSTRAINT' | 'PRIMARY' 'KEY' | 'FOREIGN' 'KEY' )"`
	KeyIf      bool        `parser:"  ( @'IF' 'EXISTS' )?"`
	KeyName    Ident       `parser:"  ( (?! 'CASCADE' | 'RESTRICT' ) @@ )?"`
	KeyColumns []Ident     `parser:"  ( '(' @@ ( ',' @@ )* ')' )?"`
	Behavior   Keyword     `parser:"  @( 'CASCADE' | 'RESTRICT' )?"`
	RowFilter  bool        `parser:"| @'ROW' 'FILTER'"`
	Feature    *Ident      `parser:"| 'FEATURE' @@"`
	Truncate   bool        `parser:"  ( @'TRUNCATE' 'HISTORY' )?"`
	Schedule   Keyword     `parser:"| @( 'SCHEDULE' | 'TRIGGER' )"`
	Exists     bool        `parser:"| ( @'IF' 'EXISTS' )?"`
	Partitions []Partition `parser:"  @@ ( ',' @@ )*"`
	Purge      bool        `parser:"  @'PURGE'? )"`
}

// AlterRename is what stands behind RENAME.
type AlterRename struct {
	tagged
	Column    *Name      `parser:"  'COLUMN' @@"`
	ColumnTo  Ident      `parser:"  'TO' @@"`
	Partition *Partition `parser:"| 'TO' ( @@"`
	To        *Name      `parser:"    | @@ )" sql:"target"`
}

// AlterColumn is one column of ALTER TABLE .. {ALTER | CHANGE} COLUMN. The last group is Hive's form with a new name and type.
type AlterColumn struct {
	tagged
	Name        Name             `parser:"@@"`
	Type        DataType         `parser:"( 'TYPE' @@"`
	SetNotNull  bool             `parser:"| 'SET' ( @'NOT' 'NULL'"`
	Default     Expr             `parser:"  | 'DEFAULT' @@"`
	Tags        *Options         `parser:"  | 'TAGS' @@"`
	Mask        *MaskClause      `parser:"  | 'MASK' @@ )"`
	DropNotNull bool             `parser:"| 'DROP' ( @'NOT' 'NULL'"`
	DropDefault bool             `parser:"  | @'DEFAULT'"`
	DropMask    bool             `parser:"  | @'MASK' )"`
	UnsetTags   []Text           `parser:"| 'UNSET' 'TAGS' '(' @@ ( ',' @@ )* ')'"`
	Sync        bool             `parser:"| @'SYNC' 'IDENTITY'"`
	Comment     *Text            `parser:"| 'COMMENT' @@"`
	First       bool             `parser:"| @'FIRST'"`
	After       *Name            `parser:"| 'AFTER' @@"`
	NewName     Ident            `parser:"| @@"`
	NewType     DataType         `parser:"  @@"`
	Attributes  []AddedAttribute `parser:"  @@* )?"`
}

// AlterSet is what stands behind SET.
type AlterSet struct {
	tagged
	Properties *Options   `parser:"  'TBLPROPERTIES' @@"`
	Serde      *Text      `parser:"| 'SERDE' @@"`
	SerdeWith  *Options   `parser:"  ( 'WITH' 'SERDEPROPERTIES' @@ )?"`
	SerdeProps *Options   `parser:"| 'SERDEPROPERTIES' @@"`
	Location   *Location  `parser:"| 'LOCATION' @@"`
	Tags       *Options   `parser:"| 'TAGS' @@"`
	RowFilter  *RowFilter `parser:"| @@"`
	Owner      *Principal `parser:"| 'OWNER' 'TO' @@"`
	Managed    bool       `parser:"| @'MANAGED'"`
}

// AlterObject is ALTER of an object that is no relation (Databricks):
//
//	ALTER {SCHEMA | DATABASE | NAMESPACE | CATALOG | VOLUME | ...} name action
type AlterObject struct {
	tagged
	Kind   Keyword      `parser:"'ALTER' @( 'SCHEMA' | 'DATABASE' | 'NAMESPACE' | 'CATALOG' | 'VOLUME' | 'FUNCTION' | 'PROCEDURE' | 'SHARE' | 'RECIPIENT' | 'PROVIDER' | 'CONNECTION' | 'EXTERNAL' 'LOCATION' | 'STORAGE' 'CREDENTIAL' | 'CREDENTIAL' )"`
	Name   *Name        `parser:"( (?! 'SET' 'OWNER' | 'OWNER' 'TO' ) @@ )?" sql:"target"`
	Action ObjectAction `parser:"@@"`
}

func (*AlterObject) isStatement() {}

// ObjectAction is what an AlterObject does.
type ObjectAction struct {
	tagged
	Kind       Keyword    `parser:"  'SET' ( @( 'DBPROPERTIES' | 'PROPERTIES' | 'TAGS' | 'OPTIONS' )"`
	Properties *Options   `parser:"    @@"`
	Location   *Location  `parser:"  | 'MANAGED'? 'LOCATION' @@"`
	SetOwner   *Principal `parser:"  | 'OWNER' 'TO' @@ )"`
	Unset      Keyword    `parser:"| 'UNSET' @( 'DBPROPERTIES' | 'PROPERTIES' | 'TAGS' | 'OPTIONS' )"`
	IfExists   bool       `parser:"    ( @'IF' 'EXISTS' )?"`
	Keys       *Options   `parser:"    @@"`
	Owner      *Principal `parser:"| 'OWNER' 'TO' @@"`
	RenameTo   *Name      `parser:"| 'RENAME' 'TO' @@" sql:"target"`
	Collation  Ident      `parser:"| 'DEFAULT' 'COLLATION' @@"`
	Predictive Keyword    `parser:"| @( 'ENABLE' | 'DISABLE' | 'INHERIT' ) 'PREDICTIVE' 'OPTIMIZATION'"`
	Share      Keyword    `parser:"| @( 'ADD' | 'REMOVE' ) ( 'TABLE' | 'SCHEMA' | 'VIEW' | 'VOLUME' | 'MODEL' )"`
	Shared     *Name      `parser:"    @@" sql:"read"`
}

// Principal is a user, group or role: a name or a string.
type Principal struct {
	tagged
	Name *Ident `parser:"  @@"`
	Text *Text  `parser:"| @@"`
}
