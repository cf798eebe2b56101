package simulation

import (
	"fmt"
	"maps"
	"slices"
)

// job is one build of a node: what dbt knows of it when it starts.
type job struct {
	p           *project
	n           *node
	compiled    query
	env         env
	fullRefresh bool
	failAt      string // "", "before" (nothing is written), "after" (the table is, then a hook breaks), "late" (all is written)
	empty       bool   // --empty: no rows
	onlyHooks   bool   // hooks on a reuse
	// began is the warehouse as the build's query sees it: that of its beginning, if others write meanwhile. nil: as it is.
	began *database
	// unbound is for comparing. A view stores no rows (rule 10): on DuckDB it is its text, on Databricks its text and columns, whatever has become of
	// what is behind the relations that it names. What a hook does elsewhere is no part of the node.
	unbound bool
}

// outcome of a test.
type outcome struct {
	status   string
	failures int64
}

// run does to the warehouse what dbt's materialization would do.
func (j job) run() error {
	d := j.env.db
	hooks := func(pre bool) error {
		for _, h := range j.n.hooks {
			if h.pre == pre {
				if err := j.hook(d, h); err != nil && !(j.unbound && h.what == "audit") {
					return err
				}
			}
		}
		return nil
	}
	if err := hooks(true); err != nil {
		return err
	}
	if !j.onlyHooks {
		if j.failAt == "before" {
			return errQuery
		}
		if err := j.materialize(); err != nil {
			return err
		}
		if j.failAt == "after" {
			return errQuery
		}
	}
	if err := hooks(false); err != nil {
		return err
	}
	if j.failAt == "late" && !j.onlyHooks {
		return errQuery
	}
	return nil
}

func (j job) materialize() error {
	d, n := j.env.db, j.n
	old := d.rels[n.key()]
	if n.mat == "seed" {
		c := content{cols: []column{{name: "id", typ: "INTEGER"}, {name: "v", typ: "INTEGER"}}, props: j.p.props(n)}
		for _, r := range n.rows {
			c.rows = append(c.rows, []value{value(fmt.Sprint(r[0])), value(fmt.Sprint(r[1]))})
		}
		j.replace(c)
		return nil
	}
	reads := j.env
	if j.began != nil {
		reads.db = j.began
	}
	reads.bound = n.mat == "view"
	reads.shallow = reads.bound && j.unbound && !d.duckdb()
	c, err := reads.eval(j.compiled)
	if err != nil && !(j.unbound && n.mat == "view" && d.duckdb()) {
		return err
	}
	c = c.clone()
	c.props = j.p.props(n)
	if j.empty {
		c.rows = nil
	}
	switch n.mat {
	case "view":
		if old != nil && !old.isView {
			d.drop(n.key())
		}
		r := &relation{parts: n.parts(), isView: true, body: j.compiled, started: j.env.started}
		if !d.duckdb() {
			r.frozen = c.cols
		}
		d.put(r)
		return nil
	case "incremental":
		if old != nil && !old.isView && !j.fullRefresh {
			return j.merge(old, c)
		}
	case "snapshot":
		return j.snapshot(old, c)
	case "materialized_view":
		// Another engine keeps its rows fresh: it stands as a table here, and nothing may be known of it.
		j.replace(c)
		return nil
	}
	j.replace(c)
	return nil
}

// replace makes the table anew.
func (j job) replace(c content) {
	d, key := j.env.db, j.n.key()
	if old := d.rels[key]; old != nil && old.isView {
		d.drop(key)
	}
	operation := "CREATE OR REPLACE TABLE AS SELECT"
	if d.rels[key] == nil {
		operation = "CREATE TABLE AS SELECT"
	}
	d.write(j.n.parts(), c, operation, "", map[string]string{"numOutputRows": fmt.Sprint(len(c.rows)), "numFiles": "1"})
}

// merge writes the new rows of an incremental model over the old ones of the same id. The columns stay as they are.
func (j job) merge(old *relation, c content) error {
	d := j.env.db
	out := old.content.clone()
	out.props = c.props
	id := out.at("id")
	if id < 0 || c.at("id") < 0 {
		return errQuery
	}
	changed := len(c.rows)
	fresh := map[value]bool{}
	for _, row := range c.rows {
		fresh[row[c.at("id")]] = true
	}
	kept := slices.DeleteFunc(out.rows, func(r []value) bool { return fresh[r[id]] })
	out.rows = kept
	for _, row := range c.rows {
		cells := make([]value, len(out.cols))
		for i, col := range out.cols {
			at := c.at(col.name)
			if at < 0 {
				cells[i] = null
				continue
			}
			cells[i] = row[at]
		}
		out.rows = append(out.rows, cells)
	}
	metrics := map[string]string{"numTargetRowsInserted": fmt.Sprint(changed), "numTargetRowsUpdated": "0", "numTargetRowsDeleted": "0",
		"numOutputRows": fmt.Sprint(changed), "numTargetFilesAdded": fmt.Sprint(min(changed, 1)), "numTargetFilesRemoved": "0"}
	if changed == 0 && out.props == old.props {
		// Whether a statement that touches nothing leaves a commit is the engine's affair; here it does.
		d.note(j.n.key(), "MERGE", metrics)
		return nil
	}
	d.write(j.n.parts(), out, "MERGE", "", metrics)
	return nil
}

// snapshot closes rows that are other ones now and adds the new ones.
func (j job) snapshot(old *relation, c content) error {
	id, v := c.at("id"), c.at("v")
	if id < 0 || v < 0 {
		return errQuery
	}
	out := content{cols: append(slices.Clone(c.cols[:2]), column{name: "closed", typ: "BOOLEAN"}), props: c.props}
	if old != nil && !old.isView {
		out = old.content.clone()
		out.props = c.props
	} else if old != nil {
		j.env.db.drop(j.n.key())
	}
	if out.at("closed") != 2 || out.at("id") != 0 || out.at("v") != 1 {
		return errQuery
	}
	changed, ids := 0, map[value]bool{}
	for _, row := range c.rows {
		if ids[row[id]] {
			return errQuery // the key is not unique: each build would close the rows of the one before
		}
		ids[row[id]] = true
		same := false
		for i, have := range out.rows {
			if have[0] != row[id] || have[2] == "true" {
				continue
			}
			if have[1] == row[v] {
				same = true
			} else {
				out.rows[i] = append([]value{have[0], have[1], "true"}, have[3:]...)
			}
		}
		if !same {
			changed++
			fresh := append([]value{row[id], row[v], "false"}, make([]value, len(out.cols)-3)...)
			for i := range fresh[3:] {
				fresh[3+i] = null // a column that somebody has added
			}
			out.rows = append(out.rows, fresh)
		}
	}
	d := j.env.db
	metrics := map[string]string{"numTargetRowsInserted": fmt.Sprint(changed), "numTargetRowsUpdated": "0", "numTargetRowsDeleted": "0", "numOutputRows": fmt.Sprint(changed)}
	if old != nil && changed == 0 && out.props == old.props {
		d.note(j.n.key(), "MERGE", metrics)
		return nil
	}
	d.write(j.n.parts(), out, "MERGE", "", metrics)
	return nil
}

// hook runs one hook.
func (j job) hook(d *database, h hook) error {
	key := j.n.key()
	in := h.in
	if h.in != (ref{}) {
		j.p.resolve(j.n, &in)
	}
	most := func() (value, error) {
		c, err := j.env.read(in)
		if err != nil || c.at("v") < 0 {
			return null, errQuery
		}
		m := 0.0
		for _, row := range c.rows {
			m = max(m, row[c.at("v")].number())
		}
		return number(m), nil
	}
	own := func(change func(id, v value) value) error {
		r := d.rels[key]
		if r == nil || r.isView || r.at("v") < 0 || r.at("id") < 0 {
			return errQuery
		}
		c := r.content.clone()
		for _, row := range c.rows {
			row[c.at("v")] = change(row[c.at("id")], row[c.at("v")])
		}
		d.write(r.parts, c, "UPDATE", "", map[string]string{"numUpdatedRows": fmt.Sprint(max(1, len(c.rows)))})
		return nil
	}
	switch h.what {
	case "bump":
		return own(func(id, v value) value {
			if id == "1" {
				return number(v.number() + float64(h.k))
			}
			return v
		})
	case "var":
		return own(func(id, v value) value {
			if id == "1" {
				return value(fmt.Sprint(j.p.k))
			}
			return v
		})
	case "max":
		m, err := most()
		if err != nil {
			return err
		}
		return own(func(value, value) value { return m })
	case "audit":
		return d.audit(h.k)
	case "side":
		m, err := most()
		if err != nil {
			return err
		}
		d.write(sideParts(j.n), content{cols: []column{{name: "v", typ: "INTEGER"}}, rows: [][]value{{m}}}, "CREATE OR REPLACE TABLE AS SELECT", "",
			map[string]string{"numOutputRows": "1"})
	}
	return nil
}

// audit adds a row to the audit table, a source.
func (d *database) audit(k int) error {
	r := d.rels[auditKey]
	if r == nil || r.isView || len(r.cols) < 2 {
		return errQuery
	}
	c := r.content.clone()
	row := make([]value, len(c.cols))
	for i := range row {
		row[i] = null
	}
	row[0], row[1] = value(fmt.Sprint(k)), value(fmt.Sprint(k))
	c.rows = append(c.rows, row)
	d.write(r.parts, c, "WRITE", "Append", map[string]string{"numOutputRows": "1", "numFiles": "1"})
	return nil
}

// test runs a test and returns its outcome.
func (j job) test() (outcome, error) {
	if j.failAt != "" {
		return outcome{}, errQuery
	}
	c, err := j.env.eval(j.compiled)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{"pass", int64(len(c.rows))}
	if o.failures == 0 {
		return o, nil
	}
	o.status = "warn"
	if j.n.severity == "error" && o.failures > int64(j.n.errorIf) || j.p.warnError {
		o.status = "fail"
	}
	return o, nil
}

// stands lists what dbt finds in the warehouse: the type of each relation, by key.
func (d *database) stands() map[string]string {
	out := map[string]string{}
	for key, r := range d.rels {
		out[key] = "table"
		if r.isView {
			out[key] = "view"
		}
	}
	return out
}

// copyOf returns the job on a copy of its warehouse.
func (j job) copyOf() job {
	j.began, j.env.db = nil, j.env.db.clone()
	j.env.db.functions, j.env.db.setting = maps.Clone(j.env.db.functions), maps.Clone(j.env.db.setting)
	tick := *j.env.tick + 1_000_000
	j.env.tick = &tick
	return j
}
