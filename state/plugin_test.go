//go:build cgo

package state

import (
	"context"
	"database/sql"

	"hodor/session"
	"hodor/stores"
	"hodor/warehouse/warehousetest"
)

type (
	sessionSettings = session.Settings
	sqlDB           = sql.DB
)

// pluginRun is one dbt build of the whole project with the plugin: session decides, node by node, and what it says is built. It returns what was built.
func (w *world) pluginRun() []string {
	w.t.Helper()
	ctx := context.Background()
	id := w.invocation()
	s := session.New(session.Deps{
		Warehouse: warehousetest.FromDB(w.db),
		OpenStore: func(context.Context, session.Settings, string, *sql.DB) (stores.Store, error) {
			return keepOpen{w.store, w.store.(stores.Committer)}, nil
		},
		HodorVersion: "test",
	})
	req := w.startRequest()
	req.InvocationID, req.Command, req.Mode, req.ManifestPath = id, "build", "on", w.manifest("plugin", id, nil)
	_, err := s.Start(ctx, req)
	must(w.t, err)
	facts, err := (&outside{w: w}).Nodes(ctx, w.order, nil)
	must(w.t, err)
	var built []string
	for _, id := range w.order {
		n := w.nodes[id]
		if kindOf(id) == "source" || n.materialized == "ephemeral" || kindOf(id) == "unit_test" {
			continue
		}
		hash := s.TextHash(n.sql)
		ask := session.DecideRequest{ID: id, TextHash: &hash, Relation: facts[id].Relation, Pointer: true}
		answer, err := s.Decide(ctx, ask)
		must(w.t, err)
		if answer.Need == "sql" {
			ask.SQL = &n.sql
			answer, err = s.Decide(ctx, ask)
			must(w.t, err)
		}
		if answer.Action == "reuse" {
			continue
		}
		done := session.BuiltRequest{ID: id, Status: "success", Attempted: true, BuildMS: 1}
		if kindOf(id) == "test" {
			done.Status = "pass"
		} else {
			w.make(n)
			built = append(built, id)
		}
		must(w.t, s.Built(ctx, done))
	}
	_, err = s.Finish(ctx, session.FinishRequest{})
	must(w.t, err)
	must(w.t, s.Close(ctx))
	return built
}
