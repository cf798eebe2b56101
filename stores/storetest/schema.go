package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"hodor/stores"
)

// needsSQL returns an empty place of a store that is a database.
func needsSQL(t *testing.T, b Backend) Place {
	t.Helper()
	place := b.New(t)
	if place.Exec == nil {
		t.Skip("this store has no SQL")
	}
	return place
}

// testDamage changes each column of a node's newest record behind the store's back. The record must not be believed, nor the older one take its
// place.
func testDamage(t *testing.T, b Backend) {
	place := needsSQL(t, b)
	s := open(t, place, Options{})
	// By these a row is another node's, another scope's, not committed or no build at all: as if it were not there.
	chosen := map[string]bool{"project_name": true, "target_name": true, "node_key": true, "action": true, "status": true, "commit_id": true}
	type damage struct{ key, column, value string }
	var list []damage
	for i := range stores.Columns {
		c := &stores.Columns[i]
		values := []string{"'x'", "'{}'", "''", "NULL"}
		if c.Int {
			values = []string{"recorded_at_ms + 7", "9223372036854775807", "0", "NULL"}
		}
		for j, v := range values {
			key := c.Name + string(rune('a'+j))
			switch {
			case chosen[c.Name]:
				continue
			case c.Name == "recorded_at_ms" && (v == "0" || v == "NULL"), c.Name == "record_id" && v == "NULL", c.Name == "built_at_ms" && v == "0":
				continue // out of every window, not to be found, older than the older one: as if it were not there
			case v == "NULL" && c.Value(p(record(key, 2))) == nil:
				continue // as it was
			case b.Slow && (i+j)%4 != 0:
				continue
			}
			list = append(list, damage{key, c.Name, v})
		}
	}
	list = append(list, damage{"escape", "reason", "'␛q'"}) // an escape that hodor has not written
	var records []stores.Record
	for _, d := range list {
		records = append(records, record(d.key, 1), record(d.key, 2), record(d.key+"_next", 1))
	}
	add(t, s, records...)
	// One statement for all: a column that several damages concern takes its value by the record.
	var sets, ids []string
	for i := range stores.Columns {
		name, cases := stores.Columns[i].Name, ""
		for _, d := range list {
			if d.column == name {
				id := "'" + record(d.key, 2).RecordID + "'"
				cases += " WHEN " + id + " THEN " + d.value
				ids = append(ids, id)
			}
		}
		if cases != "" {
			sets = append(sets, name+" = CASE record_id"+cases+" ELSE "+name+" END")
		}
	}
	place.Exec(t, "UPDATE "+place.Table+" SET "+strings.Join(sets, ", ")+" WHERE record_id IN ("+strings.Join(ids, ", ")+")")
	l := load(t, s, 0)
	damaged := map[string]int{}
	for _, r := range history(t, s, stores.Query{}) {
		if r.Check() != nil {
			damaged[r.NodeKey]++
		}
	}
	rejected := 0
	for _, d := range list {
		if id := found(l, d.key); id != "" {
			t.Errorf("%s set to %s: %s counts", d.column, d.value, id)
		}
		if found(l, d.key+"_next") == "" {
			t.Errorf("%s set to %s: another node lost its history", d.column, d.value)
		}
		if n := damaged["db.main."+d.key]; n != 1 {
			t.Errorf("%s set to %s: Check finds %d damaged records", d.column, d.value, n)
		}
		if d.column != "built_at_ms" && d.column != "data_version" {
			rejected++
		}
	}
	if len(list) < 20 || l.Rejected < rejected {
		t.Errorf("%d damages, %d rejected, want %d at least", len(list), l.Rejected, rejected)
	}
}

// older is the state table as spec 8.1 has it, without what came later.
func older(place Place) string {
	var parts []string
	for _, c := range stores.Columns {
		switch {
		case c.Added:
		case c.Int:
			parts = append(parts, c.Name+" BIGINT")
		default:
			parts = append(parts, c.Name+" "+place.Text)
		}
	}
	return "CREATE TABLE " + place.Table + " (" + strings.Join(parts, ", ") + ")"
}

// testOlderSchema: a table of an older hodor is read as it is, its records do not count (they have no checksum), and the first write adds
// what it lacks.
func testOlderSchema(t *testing.T, b Backend) {
	place := needsSQL(t, b)
	place.Exec(t, older(place))
	place.Exec(t, "INSERT INTO "+place.Table+" (record_id, invocation_id, recorded_at_ms, project_name, target_name, node_key, unique_id, resource_type,"+
		" mode, decision, reason, action, status, hash_version, data_version, built_at_ms, hodor_version) VALUES ('old', 'i', 1792465200000, 'shop', 'dev',"+
		" 'db.main.x', 'model.shop.x', 'model', 'on', 'build', 'no_history', 'build', 'success', '1', 'v1', 1792465200000, '0.0.1')")
	for _, o := range []Options{{ReadOnly: true}, {}} {
		s := open(t, place, o)
		if l := load(t, s, 0); len(l.Records) != 0 || l.Rejected != 1 {
			t.Errorf("read only %v: %v, %d rejected", o.ReadOnly, l.Records, l.Rejected)
		}
		if h := history(t, s, stores.Query{}); len(h) != 1 || h[0].RecordID != "old" || h[0].Check() == nil || h[0].CommitID != nil {
			t.Errorf("read only %v: %+v", o.ReadOnly, h)
		}
		if n, err := s.Prune(context.Background(), scope, base*2, true); n != 1 || err != nil {
			t.Errorf("read only %v: prune %d, %v", o.ReadOnly, n, err)
		}
		if _, err := s.FalseReuses(context.Background(), scope, 0); err != nil {
			t.Error(err)
		}
		if h, err := s.Head(context.Background(), scope); h.Generation != 0 || err != nil {
			t.Errorf("head: %v, %v", h, err)
		}
	}
	s := open(t, place, Options{})
	add(t, s, record("x", 1), with(record("y", 1), func(r *stores.Record) { r.CommitID = p("c") }))
	if won, err := s.Claim(context.Background(), stores.Commit{Scope: scope, Generation: 1, CommitID: "c"}); !won || err != nil {
		t.Errorf("claim: %v, %v", won, err)
	}
	if l := load(t, s, 0); found(l, "x") != record("x", 1).RecordID || found(l, "y") == "" {
		t.Errorf("after the upgrade: %v", l.Records)
	}
	if h := history(t, s, stores.Query{}); len(h) != 3 {
		t.Errorf("after the upgrade: %d records", len(h))
	}
}

// testNewerSchema: a column that this hodor does not know may take back what the others say, so nothing of the table is believed or written.
func testNewerSchema(t *testing.T, b Backend) {
	for _, commit := range []bool{false, true} {
		place := needsSQL(t, b)
		before := open(t, place, Options{})
		add(t, before, record("x", 1))
		table := place.Table
		if commit {
			table = place.Commit
		}
		place.Exec(t, "ALTER TABLE "+table+" ADD COLUMN revoked_at_ms BIGINT")
		s := open(t, place, Options{})
		ctx := context.Background()
		check := func(what string, err error) {
			t.Helper()
			if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "revoked_at_ms") || !strings.Contains(err.Error(), "newer") {
				t.Errorf("%s: %v", what, err)
			}
		}
		l, err := s.Load(ctx, scope, 0)
		check("Load", err)
		if l != nil {
			t.Errorf("Load returned %v", l)
		}
		check("Append", s.Append(ctx, []stores.Record{record("y", 1)}))
		_, err = s.History(ctx, scope, stores.Query{})
		check("History", err)
		_, err = s.Prune(ctx, scope, base*2, false)
		check("Prune", err)
		won, err := s.Claim(ctx, stores.Commit{Scope: scope, Generation: 1, CommitID: "c"})
		check("Claim", err)
		if won {
			t.Error("Claim won")
		}
	}
}

// testForeignTable: hodor_table names something that is no state table.
func testForeignTable(t *testing.T, b Backend) {
	place := needsSQL(t, b)
	place.Exec(t, "CREATE TABLE "+place.Table+" (id BIGINT, name "+place.Text+")")
	s := open(t, place, Options{})
	err := s.Append(context.Background(), []stores.Record{record("x", 1)})
	if !errors.Is(err, stores.ErrUnavailable) || !strings.Contains(err.Error(), "no state table") {
		t.Errorf("Append: %v", err)
	}
	if _, err := s.Load(context.Background(), scope, 0); !errors.Is(err, stores.ErrUnavailable) {
		t.Errorf("Load: %v", err)
	}
}
