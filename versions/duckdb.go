package versions

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"hodor/engine"
	"hodor/project"
)

// DuckDB reads versions of a DuckDB warehouse. A table's token is
//
//	<engine version>:<rows>@<hash of the rows>#<hash of the columns>
//
// The rows are hashed by DuckDB in one statement a table (fingerprint.go), without regard to their order. The columns' part covers names,
// types, order and the table's DDL, which alone tells the collations. DuckDB's hash() is not stable between releases, so the token names the
// release.
//
// Names, columns and DDL come from the catalog: one statement for each attached database when first asked for, and one for a relation that was
// invalidated since. Only names of three parts are looked up: with fewer, a temporary table or another database may stand in front (S10).
type DuckDB struct {
	db  *sql.DB
	opt Options

	rows    cache[engine.Version]
	tables  cache[map[string]table]  // by folded database
	views   cache[map[string]string] // DDL, by folded database
	one     cache[table]             // single relations, read again after an Invalidate
	oneView cache[string]
	release cache[string]
	today   cache[dated]

	mu      sync.Mutex
	touched map[string]bool // invalidated one by one since the catalogs were read

	reads   atomic.Int64
	unknown unknowns
}

// table is what the catalog knows of one base table.
type table struct {
	database, schema, name string // as created
	ddl                    string
	columns                string // each name and type in order, both with their length in front: what the token covers
	list                   []column
}

type column struct{ name, typ string }

// NewDuckDB returns a reader over db, whose connections must be like those that the nodes run on.
func NewDuckDB(db *sql.DB, opt Options) *DuckDB {
	return &DuckDB{db: db, opt: opt, touched: map[string]bool{}}
}

var (
	errNoTable  = errors.New("there is no base table of that name")
	errNoView   = errors.New("there is no view of that name")
	errNotThree = errors.New("its name has not three parts")
	errVariant  = errors.New("it has a VARIANT column, whose values DuckDB's hash can't tell apart")
)

// Rows implements Reader. What then holds makes no difference: a fingerprint can't be had without reading the table.
func (d *DuckDB) Rows(ctx context.Context, r Relation, _ engine.Version) engine.Version {
	v, err := d.rows.get(ctx, r.Key, func(ctx context.Context) (engine.Version, error) { return d.fingerprint(ctx, r) })
	if err != nil {
		d.unknown.log(d.opt, "version", r.Key, err)
		return ""
	}
	return v
}

func (d *DuckDB) fingerprint(ctx context.Context, r Relation) (engine.Version, error) {
	d.reads.Add(1)
	t, err := d.table(ctx, r)
	if err != nil {
		return "", err
	}
	release, err := d.engineVersion(ctx)
	if err != nil {
		return "", err
	}
	statement, err := fingerprintSQL(t)
	if err != nil {
		return "", err
	}
	row, err := queryRow(ctx, d.db, statement, 3)
	if err != nil {
		return "", err
	}
	count, err := strconv.ParseUint(row[0].String, 10, 64)
	if err != nil || count > 0 && (!row[1].Valid || !row[2].Valid) {
		return "", errRows
	}
	return engine.Version(fmt.Sprintf("%s:%d@%s#%s", release, count,
		digest("rows", row[1].String, row[2].String), digest("columns", t.columns, t.ddl))), nil
}

// digest is a hash of 128 bits over parts, each with its length in front. Its first part names what it is for.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Definition implements Reader: the hash of the view's DDL in duckdb_views().
func (d *DuckDB) Definition(ctx context.Context, r Relation) engine.Version {
	ddl, err := d.view(ctx, r)
	if err != nil {
		d.unknown.log(d.opt, "definition", r.Key, err)
		return ""
	}
	return engine.Version("view:" + digest("view", ddl))
}

// Stands implements Reader, from the catalogs that Rows and Definition look at.
func (d *DuckDB) Stands(ctx context.Context, r Relation) engine.Relation {
	_, tableErr := d.table(ctx, r)
	if tableErr == nil {
		return engine.Present
	}
	_, viewErr := d.view(ctx, r)
	switch {
	case viewErr == nil:
		return engine.Present
	case errors.Is(tableErr, errNoTable) && errors.Is(viewErr, errNoView):
		return engine.Absent
	}
	return engine.Unseen
}

// Columns implements Reader. DuckDB binds a view anew whenever it is read, so there is nothing to compare.
func (d *DuckDB) Columns(context.Context, Relation, engine.Version) engine.Version { return "" }

// Invalidate implements Reader.
func (d *DuckDB) Invalidate(r Relation) {
	d.mu.Lock()
	d.touched[r.Key] = true
	d.mu.Unlock()
	d.one.drop(r.Key)
	d.oneView.drop(r.Key)
	d.rows.drop(r.Key)
}

// InvalidateAll implements Reader.
func (d *DuckDB) InvalidateAll() {
	// First the catalogs, then the marks: a relation that loses its mark too early would be looked up in a catalog that is too old.
	d.tables.dropAll()
	d.views.dropAll()
	d.mu.Lock()
	clear(d.touched)
	d.mu.Unlock()
	d.one.dropAll()
	d.oneView.dropAll()
	d.rows.dropAll()
}

// Reads implements Reader.
func (d *DuckDB) Reads() int { return int(d.reads.Load()) }

func (d *DuckDB) engineVersion(ctx context.Context) (string, error) {
	return d.release.get(ctx, "", func(ctx context.Context) (string, error) {
		row, err := queryRow(ctx, d.db, "select system.main.version()", 1)
		if err != nil {
			return "", err
		}
		if row[0].String == "" {
			return "", errRows
		}
		return row[0].String, nil
	})
}

func (d *DuckDB) isTouched(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.touched[key]
}

// table looks a relation up: in the database's catalog as it was read once, or by itself if it was invalidated since.
func (d *DuckDB) table(ctx context.Context, r Relation) (table, error) {
	if len(r.Parts) != 3 {
		return table{}, errNotThree
	}
	key := nameKey(r.Parts[0], r.Parts[1], r.Parts[2])
	if d.isTouched(r.Key) {
		return d.one.get(ctx, r.Key, func(ctx context.Context) (table, error) {
			found, err := d.readTables(ctx, r.Parts...)
			if err != nil {
				return table{}, err
			}
			return pick(found, key, errNoTable)
		})
	}
	database := project.Fold(r.Parts[0])
	found, err := d.tables.get(ctx, database, func(ctx context.Context) (map[string]table, error) {
		return d.readTables(ctx, database)
	})
	if err != nil {
		return table{}, err
	}
	return pick(found, key, errNoTable)
}

func (d *DuckDB) view(ctx context.Context, r Relation) (string, error) {
	if len(r.Parts) != 3 {
		return "", errNotThree
	}
	key := nameKey(r.Parts[0], r.Parts[1], r.Parts[2])
	if d.isTouched(r.Key) {
		return d.oneView.get(ctx, r.Key, func(ctx context.Context) (string, error) {
			d.reads.Add(1)
			found, err := d.readViews(ctx, r.Parts...)
			if err != nil {
				return "", err
			}
			return pick(found, key, errNoView)
		})
	}
	database := project.Fold(r.Parts[0])
	found, err := d.views.get(ctx, database, func(ctx context.Context) (map[string]string, error) {
		d.reads.Add(1)
		return d.readViews(ctx, database)
	})
	if err != nil {
		return "", err
	}
	return pick(found, key, errNoView)
}

func pick[V any](found map[string]V, key string, missing error) (V, error) {
	v, ok := found[key]
	if !ok {
		return v, missing
	}
	return v, nil
}

// nameKey joins folded names; quoting keeps two lists of names from giving one key.
func nameKey(database, schema, name string) string {
	return strconv.Quote(project.Fold(database)) + strconv.Quote(project.Fold(schema)) + strconv.Quote(project.Fold(name))
}

// where narrows a catalog function to a database, a schema and a name, as many as given. The engine's lower() folds more than ASCII, so it finds
// what is wanted and perhaps more; the caller compares exactly.
func where(alias, nameColumn string, parts []string) string {
	columns := []string{"database_name", "schema_name", nameColumn}
	var b strings.Builder
	for i, p := range parts {
		fmt.Fprintf(&b, " and system.main.lower(%s.%s) = system.main.lower(%s)", alias, columns[i], literal(p))
	}
	return b.String()
}

func (d *DuckDB) readTables(ctx context.Context, parts ...string) (map[string]table, error) {
	statement := `select t.database_name, t.schema_name, t.table_name, t.sql, c.list
from system.main.duckdb_tables() t
join (
  select c.database_name, c.schema_name, c.table_name, system.main.string_agg(system.main.concat(
    system.main.strlen(c.column_name), ':', c.column_name, system.main.strlen(c.data_type), ':', c.data_type), '' order by c.column_index) as list
  from system.main.duckdb_columns() c where not c.internal` + where("c", "table_name", parts) + `
  group by 1, 2, 3
) c on t.database_name = c.database_name and t.schema_name = c.schema_name and t.table_name = c.table_name
where not t.internal and not t.temporary` + where("t", "table_name", parts)
	rows, err := query(ctx, d.db, statement, 5)
	if err != nil {
		return nil, err
	}
	found := make(map[string]table, len(rows))
	for _, r := range rows {
		t := table{database: r[0].String, schema: r[1].String, name: r[2].String, ddl: r[3].String, columns: r[4].String}
		if !r[3].Valid || t.ddl == "" {
			continue // without DDL the collations can't be told: an attached database of another kind
		}
		if t.list, err = splitColumns(t.columns); err != nil {
			return nil, err
		}
		found[nameKey(t.database, t.schema, t.name)] = t
	}
	return found, nil
}

// splitColumns undoes the list made in SQL: length in bytes, colon, text; name and type in turn.
func splitColumns(list string) ([]column, error) {
	var texts []string
	for rest := list; rest != ""; {
		digits, after, ok := strings.Cut(rest, ":")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 0 || n > len(after) {
			return nil, errors.New("the list of columns can't be read")
		}
		texts = append(texts, after[:n])
		rest = after[n:]
	}
	if len(texts)%2 != 0 || len(texts) == 0 {
		return nil, errors.New("the list of columns can't be read")
	}
	columns := make([]column, 0, len(texts)/2)
	for i := 0; i < len(texts); i += 2 {
		columns = append(columns, column{texts[i], texts[i+1]})
	}
	return columns, nil
}

func (d *DuckDB) readViews(ctx context.Context, parts ...string) (map[string]string, error) {
	rows, err := query(ctx, d.db, "select v.database_name, v.schema_name, v.view_name, v.sql from system.main.duckdb_views() v "+
		"where not v.internal and not v.temporary"+where("v", "view_name", parts), 4)
	if err != nil {
		return nil, err
	}
	found := make(map[string]string, len(rows))
	for _, r := range rows {
		if r[3].Valid && r[3].String != "" {
			found[nameKey(r[0].String, r[1].String, r[2].String)] = r[3].String
		}
	}
	return found, nil
}
