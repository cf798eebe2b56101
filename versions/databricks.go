package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hodor/engine"
	"hodor/project"
)

// Databricks reads versions of Delta tables on Databricks. A table's token is
//
//	<version>@<commit time, ms>#<hash of the columns>
//
// of the latest commit that changed it (history.go), and of its columns' names, types and order as DESCRIBE TABLE gives them. One statement a
// table and run reads the history; the columns are read only where they may have moved unseen: when a token is made anew, and when a commit
// that may be a change of columns is newer than the latest change.
type Databricks struct {
	db  *sql.DB
	opt Options

	histories cache[history]
	columns   cache[string]
	views     cache[string]
	policies  cache[map[string]bool] // tables with a row filter or column mask, by folded catalog
	today     cache[dated]

	reads   atomic.Int64
	unknown unknowns
}

// NewDatabricks returns a reader over db, whose sessions must be like those that the nodes run in.
func NewDatabricks(db *sql.DB, opt Options) *Databricks { return &Databricks{db: db, opt: opt} }

var (
	errPolicy   = errors.New("it has a row filter or a column mask, which changes rows without a commit")
	errNoChange = errors.New("no commit in its history is known to be a change")
	errCut      = errors.New("the warehouse cuts the text of a type short")
	errName     = errors.New("its name can't be qualified")
)

// Rows implements Reader.
func (d *Databricks) Rows(ctx context.Context, r Relation, then engine.Version) engine.Version {
	v, err := d.token(ctx, r, then)
	if err != nil {
		d.unknown.log(d.opt, "version", r.Key, err)
		return ""
	}
	return v
}

func (d *Databricks) token(ctx context.Context, r Relation, then engine.Version) (engine.Version, error) {
	if err := d.checkPolicies(ctx, r); err != nil {
		return "", err
	}
	h, err := d.history(ctx, r)
	if err != nil {
		return "", err
	}
	if change, _, ok := strings.Cut(string(then), "#"); ok && change == h.change && !h.ambiguous {
		return then, nil
	}
	columns, err := d.readColumns(ctx, r)
	if err != nil {
		return "", err
	}
	return engine.Version(h.change + "#" + columns), nil
}

func (d *Databricks) history(ctx context.Context, r Relation) (history, error) {
	name, err := d.name(r)
	if err != nil {
		return history{}, err
	}
	return d.histories.get(ctx, r.Key, func(ctx context.Context) (history, error) {
		d.reads.Add(1)
		commits, err := readHistory(ctx, d.db, "DESCRIBE HISTORY "+name+" LIMIT 20")
		if err != nil {
			return history{}, err
		}
		return latestChange(commits)
	})
}

var deltaPath = regexp.MustCompile("^delta\\.`((?:[^`]|``)+)`$")

// name returns the relation's name as SQL. One part alone may be a temporary view.
func (d *Databricks) name(r Relation) (string, error) {
	if r.Path != "" {
		if !deltaPath.MatchString(r.Path) {
			return "", errName
		}
		return r.Path, nil
	}
	if len(r.Parts) < 2 || len(r.Parts) > 3 {
		return "", errName
	}
	quoted := make([]string, len(r.Parts))
	for i, p := range r.Parts {
		quoted[i] = backquoted(p)
	}
	return strings.Join(quoted, "."), nil
}

func backquoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// checkPolicies refuses tables whose rows a policy may change without a commit (S12). Only Unity catalogs have policies; where their list can't
// be read, the tables of that catalog are unknown.
func (d *Databricks) checkPolicies(ctx context.Context, r Relation) error {
	if r.Path != "" {
		return nil
	}
	catalog := d.opt.Catalog
	if len(r.Parts) == 3 {
		catalog = r.Parts[0]
	}
	if catalog == "" || len(r.Parts) < 2 {
		return errName
	}
	folded := project.Fold(catalog)
	if folded == "hive_metastore" || folded == "spark_catalog" {
		return nil
	}
	found, err := d.policies.get(ctx, folded, func(ctx context.Context) (map[string]bool, error) {
		from := backquoted(catalog) + ".information_schema."
		rows, err := query(ctx, d.db, "SELECT table_schema, table_name FROM "+from+"row_filters UNION SELECT table_schema, table_name FROM "+from+"column_masks", 2)
		if err != nil {
			return nil, err
		}
		tables := make(map[string]bool, len(rows))
		for _, row := range rows {
			tables[nameKey("", row[0].String, row[1].String)] = true
		}
		return tables, nil
	})
	if err != nil {
		return fmt.Errorf("the row filters and column masks of its catalog can't be read: %w", err)
	}
	if found[nameKey("", r.Parts[len(r.Parts)-2], r.Parts[len(r.Parts)-1])] {
		return errPolicy
	}
	return nil
}

// Columns implements Reader (S18). For a table they are part of its token, which costs nothing where the token still stands.
func (d *Databricks) Columns(ctx context.Context, r Relation, then engine.Version) engine.Version {
	if v, err := d.token(ctx, r, then); err == nil {
		_, columns, _ := strings.Cut(string(v), "#")
		return engine.Version(columns)
	}
	columns, err := d.readColumns(ctx, r)
	if err != nil {
		d.unknown.log(d.opt, "columns", r.Key, err)
		return ""
	}
	return engine.Version(columns)
}

// readColumns hashes names, types and order of a relation's columns.
func (d *Databricks) readColumns(ctx context.Context, r Relation) (string, error) {
	name, err := d.name(r)
	if err != nil {
		return "", err
	}
	return d.columns.get(ctx, r.Key, func(ctx context.Context) (string, error) {
		rows, err := query(ctx, d.db, "DESCRIBE TABLE "+name, 3)
		if err != nil {
			return "", err
		}
		return d.hashColumns(ctx, name, rows)
	})
}

// hashColumns hashes the columns at the head of what DESCRIBE answers; comments do not count.
func (d *Databricks) hashColumns(ctx context.Context, name string, rows [][]sql.NullString) (string, error) {
	parts := []string{"columns"}
	var cut []int // places in parts of types that are not whole
	for _, row := range rows {
		if row[1].String == "" {
			break // the partitioning and other sections follow, whose headings have no type
		}
		parts = append(parts, row[0].String, row[1].String)
		if moreFields.MatchString(row[1].String) {
			cut = append(cut, len(parts)-1)
		}
	}
	if len(parts) == 1 {
		return "", errRows
	}
	if len(cut) > 0 {
		if err := d.wholeTypes(ctx, name, parts, cut); err != nil {
			return "", err
		}
	}
	return digest(parts...), nil
}

// wholeTypes asks for the types that DESCRIBE cut short, without reading a row: typeof prints every field.
func (d *Databricks) wholeTypes(ctx context.Context, name string, parts []string, cut []int) error {
	var types, columns []string
	for _, i := range cut {
		column := backquoted(parts[i-1])
		columns = append(columns, column)
		types = append(types, "typeof(any_value("+column+"))")
	}
	row, err := queryRow(ctx, d.db, "SELECT "+strings.Join(types, ", ")+" FROM (SELECT "+strings.Join(columns, ", ")+" FROM "+name+" LIMIT 0)", len(cut))
	if err != nil {
		return err
	}
	for j, i := range cut {
		if row[j].String == "" || moreFields.MatchString(row[j].String) {
			return errCut
		}
		parts[i] = row[j].String
	}
	return nil
}

// moreFields is what DESCRIBE writes in place of a struct's fields beyond the 25th (measured on Spark 4.2).
var moreFields = regexp.MustCompile(`\.\.\. \d+ more fields`)

// Definition implements Reader: the text of a view with the namespace that its names resolve in and the columns that it has
// kept since it was made (S18), from DESCRIBE TABLE EXTENDED.
func (d *Databricks) Definition(ctx context.Context, r Relation) engine.Version {
	v, err := d.definition(ctx, r)
	if err != nil {
		d.unknown.log(d.opt, "definition", r.Key, err)
		return ""
	}
	return engine.Version(v)
}

func (d *Databricks) definition(ctx context.Context, r Relation) (string, error) {
	name, err := d.name(r)
	if err != nil {
		return "", err
	}
	return d.views.get(ctx, r.Key, func(ctx context.Context) (string, error) {
		d.reads.Add(1)
		rows, err := query(ctx, d.db, "DESCRIBE TABLE EXTENDED "+name, 3)
		if err != nil {
			return "", err
		}
		facts := map[string]string{}
		detailed := false
		for _, row := range rows {
			switch {
			case row[0].String == "# Detailed Table Information":
				detailed = true
			case detailed:
				facts[row[0].String] = row[1].String
			}
		}
		text := facts["View Text"]
		if facts["Type"] != "VIEW" || text == "" {
			return "", errNoView
		}
		columns, err := d.hashColumns(ctx, name, rows)
		if err != nil {
			return "", err
		}
		return "view:" + digest("view", text, facts["View Catalog and Namespace"], columns), nil
	})
}

// Stands implements Reader.
func (d *Databricks) Stands(ctx context.Context, r Relation) engine.Relation {
	if _, err := d.history(ctx, r); err == nil || errors.Is(err, errNoChange) {
		return engine.Present
	}
	_, err := d.readColumns(ctx, r)
	switch {
	case err == nil, errors.Is(err, errCut):
		return engine.Present
	case strings.Contains(err.Error(), "TABLE_OR_VIEW_NOT_FOUND"):
		return engine.Absent
	}
	return engine.Unseen
}

// Invalidate implements Reader.
func (d *Databricks) Invalidate(r Relation) {
	d.histories.drop(r.Key)
	d.columns.drop(r.Key)
	d.views.drop(r.Key)
}

// InvalidateAll implements Reader.
func (d *Databricks) InvalidateAll() {
	d.histories.dropAll()
	d.columns.dropAll()
	d.views.dropAll()
	d.policies.dropAll()
}

// Reads implements Reader.
func (d *Databricks) Reads() int { return int(d.reads.Load()) }

// Session implements Reader with one statement. ANSI mode shows in the type that a string and an integer have in common, which needs no setting
// that only some kinds of compute know. The target's session_properties are the caller's part of the fingerprint.
func (d *Databricks) Session(ctx context.Context) (Session, error) {
	s := Session{Asked: d.opt.now()}
	row, err := queryRow(ctx, d.db, "SELECT cast(unix_millis(current_timestamp()) AS string), current_timezone(), typeof(coalesce('1', 1))", 3)
	s.Taken = d.opt.now()
	if err != nil {
		return Session{}, fmt.Errorf("reading the warehouse's clock: %w", err)
	}
	if s.NowMS, err = strconv.ParseInt(row[0].String, 10, 64); err != nil || row[1].String == "" || row[2].String == "" {
		return Session{}, fmt.Errorf("reading the warehouse's clock: %w", errRows)
	}
	s.Fingerprint = digest("databricks session", row[1].String, row[2].String)
	return s, nil
}

// Volatile implements Reader.
func (d *Databricks) Volatile(ctx context.Context, kind string) engine.Version {
	var v engine.Version
	var err error
	switch kind {
	case "date":
		v, err = dateOf(ctx, &d.today, d.opt, func(ctx context.Context) ([]sql.NullString, error) {
			return queryRow(ctx, d.db, "SELECT cast(current_date() AS string), cast(unix_millis(current_timestamp()) AS string), "+
				"cast(unix_millis(cast(date_add(current_date(), 1) AS timestamp)) AS string)", 3)
		})
	case "session":
		var row []sql.NullString
		row, err = queryRow(ctx, d.db, "SELECT current_user(), current_catalog(), current_schema(), current_timezone()", 4)
		if err == nil {
			v = sessionVersion(row)
		}
	default:
		return ""
	}
	if err != nil {
		d.unknown.log(d.opt, "value", "volatile:"+kind, err)
		return ""
	}
	return v
}

// commitTime reads a commit's time as the drivers give it: with a zone, or without one in that of the session, which is the same from run to run.
func commitTime(text string) (int64, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), true
		}
	}
	return 0, false
}
