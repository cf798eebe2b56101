package simulation

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// value is a cell as the warehouse prints it.
type value string

const null value = "\x00"

func number(n float64) value { return value(strconv.FormatFloat(n, 'f', -1, 64)) }

func (v value) number() float64 {
	n, _ := strconv.ParseFloat(string(v), 64)
	return n
}

// column is a column of a table. collate: DuckDB compares its strings without regard to case, and so does hash() from release 2 on.
type column struct {
	name, typ string
	collate   bool
}

// content is all that a reader can see of a table, and props: what its configuration has made of it (partitioning and the like).
type content struct {
	cols  []column
	rows  [][]value
	props string
}

func (c *content) at(name string) int {
	return slices.IndexFunc(c.cols, func(x column) bool { return x.name == name })
}

func (c *content) clone() content {
	out := content{slices.Clone(c.cols), make([][]value, len(c.rows)), c.props}
	for i, r := range c.rows {
		out.rows[i] = slices.Clone(r)
	}
	return out
}

// text is the content without the order of its rows; the column skip is left out.
func (c *content) text(skip string) string {
	var b strings.Builder
	omit := -1
	for i, col := range c.cols {
		if col.name == skip {
			omit = i
			continue
		}
		fmt.Fprintf(&b, "%s %s %t,", col.name, col.typ, col.collate)
	}
	rows := make([]string, len(c.rows))
	for i, r := range c.rows {
		var row strings.Builder
		for j, v := range r {
			if j != omit {
				row.WriteString(strconv.Quote(string(v)))
			}
		}
		rows[i] = row.String()
	}
	sort.Strings(rows)
	return b.String() + "|" + c.props + "|" + strings.Join(rows, "\n")
}

// relation is what stands under one name. It is never changed in place: whoever writes puts a new one.
type relation struct {
	parts  [3]string
	isView bool
	content
	body    query    // of a view, with the names as they were resolved when it was made
	frozen  []column // Databricks: the columns of a view as it was made
	started string   // run_started_at of the run that made the view
	commits []commit // Databricks, oldest first
	stamp   int      // another one after each write that may change what a reader sees
	maker   *run     // the run that wrote it; nil: someone else

	wholeText, seenText string // what whole and seen return, once they were asked
}

// whole is the content's text with all columns.
func (r *relation) whole() string {
	if r.wholeText == "" {
		r.wholeText = r.text("")
	}
	return r.wholeText
}

// seen is what a reader of the relation sees of its content: columns and rows, and not what configuration has made of the table.
func (r *relation) seen() string {
	if r.seenText == "" {
		c := r.content
		c.props = ""
		r.seenText = c.text("")
	}
	return r.seenText
}

func (r *relation) key() string { return strings.Join(r.parts[:], ".") }

// commit is one of a Delta table's history, with the content that it left.
type commit struct {
	version int
	row     []value // of DESCRIBE HISTORY
	left    content
}

// database is the model's warehouse.
type database struct {
	dialect string
	rels    map[string]*relation
	setting map[string]string
	// functions are the user's functions: of a built-in's name they hide it, and what they do is their number.
	functions map[string]int
	// filters are row filters by table: rows with a smaller v are hidden (Databricks).
	filters map[string]int
	file    int // the number in a file that read_csv reads
	zone    *time.Location
	nowMS   int64
	release string
	stamps  int
	touched func(old, now *relation, key string) // told of every write
}

func (d *database) clone() *database {
	out := *d
	out.rels, out.touched = maps.Clone(d.rels), nil
	return &out
}

func (d *database) duckdb() bool { return d.dialect == "duckdb" }

func (d *database) put(r *relation) {
	d.stamps++
	r.stamp = d.stamps
	d.set(r.key(), r)
}

// set puts a relation with the stamp that it has; nil drops.
func (d *database) set(key string, r *relation) {
	old := d.rels[key]
	if r == nil {
		delete(d.rels, key)
	} else {
		d.rels[key] = r
	}
	if d.touched != nil {
		d.touched(old, r, key)
	}
}

func (d *database) drop(key string) { d.set(key, nil) }

// write makes c the content of the table under parts. On Databricks it is a commit of the operation; a table that stood there goes on with its
// history.
func (d *database) write(parts [3]string, c content, operation, mode string, metrics map[string]string) {
	r := &relation{parts: parts, content: c}
	if !d.duckdb() {
		version := 0
		if old := d.rels[r.key()]; old != nil && !old.isView {
			r.commits = slices.Clone(old.commits)
			version = old.commits[len(old.commits)-1].version + 1
		}
		r.commits = append(r.commits, newCommit(version, d.nowMS, operation, mode, metrics, c))
	}
	d.put(r)
}

// note adds a commit that changes nothing that a reader sees.
func (d *database) note(key, operation string, metrics map[string]string) {
	old := d.rels[key]
	if old == nil || old.isView || d.duckdb() {
		return
	}
	r := *old
	r.commits = append(slices.Clone(old.commits), newCommit(old.commits[len(old.commits)-1].version+1, d.nowMS, operation, "", metrics, old.content))
	d.set(key, &r)
}

func (d *database) today() time.Time { return time.UnixMilli(d.nowMS).In(d.zone) }

// ddl is a table's DDL as DuckDB prints it.
func (r *relation) ddl() string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s.%s(", r.parts[1], r.parts[2])
	for i, c := range r.cols {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.name + " " + c.typ)
		if c.collate {
			b.WriteString(" COLLATE NOCASE")
		}
	}
	return b.String() + ");"
}

// typ is the name of a type in the dialect.
func (d *database) typ(name string) string {
	if d.duckdb() {
		return name
	}
	switch name {
	case "INTEGER":
		return "int"
	case "VARCHAR":
		return "string"
	}
	return strings.ToLower(name)
}
