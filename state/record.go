package state

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"time"

	"hodor/engine"
	"hodor/executor"
	"hodor/project"
	"hodor/session"
	"hodor/stores"
	"hodor/versions"
)

// recorder makes the records of one run and commits them.
type recorder struct {
	o   *Options
	p   *planned
	r   *Report
	req executor.ExecutionRequest
	x   *executor.ExecutionReport

	nodes  map[string]*executor.NodeExecution // to record
	checks map[string]*executor.CheckExecution
	s      *session.Session
	reader *observeReader
	graph  *graph
	proj   *project.Project
	sql    map[string]string
	facts  map[string]NodeFacts
	commit string
}

// record records what succeeded. An error means that nothing of this run counts.
func (o *Options) record(ctx context.Context, p *planned, r *Report, req executor.ExecutionRequest) error {
	c := &recorder{o: o, p: p, r: r, req: req, x: r.Execution}
	c.pick()
	if len(c.nodes)+len(c.checks) == 0 {
		r.Outcome = NothingSucceeded
		return nil
	}
	out, err := o.StartOutside(ctx)
	if err != nil {
		return fail(NotRecorded, "what was built is built again next time", err, "dbt ran, and its results could not be recorded")
	}
	err = c.run(ctx, out)
	if closed := out.Close(); closed != nil {
		o.logf("closing the warehouse: %v", closed)
	}
	return err
}

// pick chooses what to record: nodes that were built and of which no check failed, and checks that passed on nothing that failed.
func (c *recorder) pick() {
	c.nodes, c.checks = map[string]*executor.NodeExecution{}, map[string]*executor.CheckExecution{}
	bad := map[string]bool{} // nodes and sources that keep what they had
	for _, list := range [][]executor.NodeExecution{c.x.Nodes, c.x.Sources} {
		for i := range list {
			n := &list[i]
			switch {
			case len(n.ChecksFailed) > 0, n.Status == executor.Failed, c.req.Mode == executor.Test && !n.FullyChecked:
				bad[n.ID] = true
			}
		}
	}
	if c.req.Mode != executor.Test {
		for i := range c.x.Nodes {
			if n := &c.x.Nodes[i]; n.Status == executor.Success {
				if bad[n.ID] {
					c.skip(n.ID, "a test on it failed")
				} else {
					c.nodes[n.ID] = n
				}
			}
		}
	}
	if c.x.EngineFailed && !c.x.Interrupted && !checkFailed(c.x) {
		if failed, _ := count(c.x.Nodes); failed == 0 || c.req.Mode == executor.Test {
			return // something else went wrong, and no pass vouches for anything
		}
	}
	for i := range c.x.Checks {
		check := &c.x.Checks[i]
		if (check.Outcome == "pass" || check.Outcome == "warn") && len(check.Covers) > 0 && !slices.ContainsFunc(check.Covers, func(id string) bool { return bad[id] }) {
			c.checks[check.ID] = check
		}
	}
}

func (c *recorder) skip(id, why string) {
	c.r.NotRecorded = append(c.r.NotRecorded, NotRecordedNode{id, why})
}

func (c *recorder) run(ctx context.Context, out Outside) error {
	o, p := c.o, c.p
	d, err := out.Describe(ctx)
	if err != nil {
		return fail(NotRecorded, "what was built is built again next time", err, "dbt ran, and its results could not be recorded")
	}
	if was := p.describe; d.Context != was.Context || d.Database != was.Database || d.Schema != was.Schema || d.ProjectName != was.ProjectName || d.TargetName != was.TargetName {
		return fail(NotRecorded, "run it again", nil, "the variables, the target or the profile of the project changed while dbt ran, so nothing is recorded")
	}
	if c.sql, err = builtSQL(c.x.Artifacts); err != nil {
		return fail(NotRecorded, "what was built is built again next time", err, "the results of dbt can't be read")
	}
	c.reader = &observeReader{
		planned: p.Reads, session: p.session, duckdb: isDuckDB(d.Adapter), untrusted: c.untrusted(d.Adapter), built: map[string]window{},
		toWarehouse: func(ms int64) int64 { return c.s.WarehouseMS(ms) },
	}
	var store stores.Store
	var head stores.Commit
	var storeErr error
	c.s = session.New(session.Deps{
		Warehouse: out,
		OpenStore: func(ctx context.Context, settings session.Settings, root string, db *sql.DB) (stores.Store, error) {
			opened, err := o.OpenStore(ctx, settings, root, db, out)
			if err == nil {
				if head, err = headOf(ctx, opened, p.scope); err != nil {
					err = errors.Join(err, opened.Close())
				}
			}
			if storeErr = err; err != nil {
				return nil, err
			}
			store = opened
			return opened, nil
		},
		Reader:       func(inner versions.Reader) versions.Reader { c.reader.Reader = inner; return c.reader },
		Project:      func(proj *project.Project) { c.look(ctx, out, proj) },
		Log:          o.logf,
		HodorVersion: o.Version, Now: o.Now, NewID: o.NewID,
	})
	defer func() { _ = c.s.Close(context.WithoutCancel(ctx)) }()
	req := d.StartRequest
	req.InvocationID, req.RunStartedAt, req.ManifestPath = c.x.RunID, c.x.Artifacts.RunStartedAt, c.x.Artifacts.Manifest
	req.Command, req.Mode, req.Deferred = dbtCommand(o.Command), "on", nil
	req.Flags.FullRefresh = c.req.FullRefresh
	req.Context.Session = p.sessionSettings
	if _, err := c.s.Start(ctx, req); err != nil {
		return fail(NotRecorded, "does another dbt write to the same target path? Give each its own --target-path", err, "the manifest is not of this run, so nothing is recorded")
	}
	switch _, now := c.s.Clock(); {
	case store == nil:
		return fail(NotRecorded, "what was built is built again next time", storeErr, "dbt ran, and the state store can't be reached")
	case now == 0:
		return fail(NotRecorded, "what was built is built again next time", nil, "dbt ran, and the warehouse can't be read")
	}
	if err := c.overtaken(head); err != nil {
		return err
	}
	c.commit = o.newID()
	records := c.compose(ctx)
	if len(records) == 0 {
		c.r.Outcome = NothingSucceeded
		return nil
	}
	return c.write(ctx, store, records)
}

func (o *Options) newID() string {
	if o.NewID != nil {
		return o.NewID()
	}
	return uuid()
}

func uuid() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// look takes the manifest of the run: its order, what was built where, and hooks that only dbt can render.
func (c *recorder) look(ctx context.Context, out Outside, proj *project.Project) {
	c.proj, c.graph = proj, newGraph(proj)
	for i := range c.x.Nodes {
		n := &c.x.Nodes[i]
		if n.Status == executor.Skipped || c.req.Mode == executor.Test {
			continue
		}
		if node := proj.Nodes[n.ID]; node != nil && !node.Relation.IsZero() {
			c.reader.built[node.Relation.Key()] = window{n.ID, n.StartedAt, n.FinishedAt}
		}
	}
	for _, id := range c.x.Unrequested {
		if node := proj.Nodes[id]; node != nil && !node.Relation.IsZero() {
			c.reader.built[node.Relation.Key()] = window{id: id}
		}
	}
	var ids, render []string
	for _, id := range append(slices.Collect(maps.Keys(c.nodes)), slices.Collect(maps.Keys(c.checks))...) {
		if n := proj.Nodes[id]; n != nil {
			ids = append(ids, id)
			if n.Kind != engine.KindUnsupported && proj.NeedsRender(n, nil) {
				render = append(render, id)
			}
		}
	}
	if len(render) > 0 {
		facts, err := out.Nodes(ctx, ids, render)
		if err != nil {
			c.o.logf("rendering hooks: %v", err)
		}
		c.facts = facts
	}
}

// untrusted says why nothing read after dbt ended may be recorded: on DuckDB no commit tells who wrote when, so nothing of the run may have
// written but the nodes themselves (S28).
func (c *recorder) untrusted(adapter string) string {
	if !isDuckDB(adapter) || c.req.Mode == executor.Test {
		return ""
	}
	if c.p.endHooks {
		return "an on-run-end hook may have written after it"
	}
	if len(c.x.Unrequested) > 0 {
		return c.x.Unrequested[0] + " was built unrequested"
	}
	for i := range c.x.Nodes {
		n := &c.x.Nodes[i]
		if n.Status != executor.Skipped && c.p.hazards[n.ID] {
			return n.ID + " was built too, and may have written other tables"
		}
	}
	return ""
}

// overtaken tells whether anybody recorded state since the plan read it: another run of `state` by the head, the plugin by its records.
func (c *recorder) overtaken(head stores.Commit) error {
	lost := func(what string) error {
		return fail(Overtaken, "run it again; what was built then counts as built by nobody", nil, "%s since the plan was made, so the results of this run are dropped", what)
	}
	if (Head{head.Generation, head.CommitID}) != c.p.Head {
		return lost("another state run recorded its results")
	}
	now := c.s.Loaded().Records
	for key, r := range now {
		if c.p.loaded[key] != r.RecordID {
			return lost("another run recorded " + key)
		}
	}
	for key := range c.p.loaded {
		if now[key] == nil {
			return lost("another run built " + key)
		}
	}
	return nil
}

// compose makes the records, parents first.
func (c *recorder) compose(ctx context.Context) []stores.Record {
	actions := map[string]*PlanNode{}
	for i := range c.p.Nodes {
		actions[c.p.Nodes[i].ID] = &c.p.Nodes[i]
	}
	attempted := map[string]bool{}
	for i := range c.x.Nodes {
		if n := &c.x.Nodes[i]; n.Status != executor.Skipped && c.req.Mode != executor.Test && c.nodes[n.ID] == nil {
			attempted[n.ID] = true
		}
	}
	for _, id := range c.x.Unrequested {
		attempted[id] = true
	}
	var records []stores.Record
	for _, level := range c.graph.levels {
		for _, id := range level {
			n := c.proj.Nodes[id]
			switch {
			case attempted[id]:
				c.s.Spoil(id)
			case c.nodes[id] != nil:
				x := c.nodes[id]
				o := session.Observed{Status: "success", Decision: engine.Build, Reason: engine.HodorError}
				if a := actions[id]; a != nil {
					o.Decision, o.Reason = a.Action, a.Reason
				}
				if r, ok := c.one(ctx, n, x.StartedAt, x.FinishedAt, o); ok {
					records = append(records, r)
					c.r.Recorded = append(c.r.Recorded, id)
				} else {
					c.s.Spoil(id)
				}
			case c.checks[id] != nil:
				x := c.checks[id]
				o := session.Observed{Status: x.Outcome, Failures: &x.Failures, Decision: engine.Build, Reason: engine.NoHistory}
				if d, ok := c.p.tests[id]; ok && d.Reason != "" {
					o.Decision, o.Reason = d.Action, d.Reason
				}
				if x.Message != "" {
					o.Message = &x.Message
				}
				if r, ok := c.one(ctx, n, x.StartedAt, x.FinishedAt, o); ok {
					records = append(records, r)
					c.r.Tested = append(c.r.Tested, id)
				}
			}
		}
	}
	slices.Sort(c.r.Recorded)
	slices.Sort(c.r.Tested)
	return records
}

// one makes one record, if everything that it must say can be vouched for.
func (c *recorder) one(ctx context.Context, n *project.Node, started, finished time.Time, o session.Observed) (stores.Record, bool) {
	refuse := func(why string) (stores.Record, bool) {
		c.skip(n.UniqueID, why)
		return stores.Record{}, false
	}
	if started.IsZero() || finished.IsZero() {
		return refuse("dbt did not say when it ran")
	}
	if n.Kind == engine.KindUnsupported {
		return refuse(n.Why + ": never recorded, always built")
	}
	if hooks := c.facts[n.UniqueID].Hooks; hooks != nil && !reflect.DeepEqual(hooks, c.p.facts[n.UniqueID].Hooks) {
		return refuse("its hooks render to another text than before the run")
	}
	key := ""
	if n.Kind != engine.KindTest {
		key = n.Relation.Key()
	}
	c.reader.begin(key, started)
	o.Request = session.DecideRequest{ID: n.UniqueID, Hooks: c.facts[n.UniqueID].Hooks, Pointer: true}
	if text, ok := c.sql[n.UniqueID]; ok {
		o.Request.SQL = &text
	} else if n.Resource != project.Seed {
		return refuse("its SQL is not in the results of dbt")
	}
	o.StartMS, o.EndMS = c.s.WarehouseMS(started.UnixMilli()), c.s.WarehouseMS(ceilMS(finished))
	o.CommitID = c.commit
	r, err := c.s.Compose(ctx, o)
	switch why := c.reader.doubts(); {
	case err != nil:
		return refuse(err.Error())
	case why != "":
		return refuse(why)
	case n.Kind != engine.KindTest && r.DataVersion == nil:
		return refuse("its version can't be read")
	}
	return r, true
}

// write appends the records and claims the next generation.
func (c *recorder) write(ctx context.Context, store stores.Store, records []stores.Record) error {
	failed := func(err error) error {
		return fail(NotRecorded, "what was built is built again next time", err, "dbt ran, and its results could not be recorded")
	}
	if err := store.Append(ctx, records); err != nil {
		return failed(err)
	}
	_, now := c.s.Clock()
	commit := stores.Commit{Scope: c.p.scope, Generation: c.p.Head.Generation + 1, CommitID: c.commit, AtMS: now}
	won, err := store.(stores.Committer).Claim(ctx, commit)
	for wait := 100 * time.Millisecond; err != nil && wait < 2*time.Second && ctx.Err() == nil; wait *= 2 {
		time.Sleep(wait)
		won, err = store.(stores.Committer).Claim(ctx, commit) // the same claim again: what stands decides
	}
	switch {
	case err != nil:
		return failed(err)
	case !won:
		return fail(Overtaken, "run it again; what was built then counts as built by nobody", nil, "another state run recorded its results first, so those of this run are dropped")
	}
	c.r.Outcome, c.r.Commit = Recorded, &Head{commit.Generation, commit.CommitID}
	return nil
}

// builtSQL returns the text that was built of each node, from dbt's own results.
func builtSQL(a executor.Artifacts) (map[string]string, error) {
	raw, err := os.ReadFile(a.Results)
	if err != nil {
		return nil, err
	}
	var f struct {
		Metadata struct {
			InvocationID string `json:"invocation_id"`
		} `json:"metadata"`
		Results []struct {
			ID       string  `json:"unique_id"`
			Compiled *string `json:"compiled_code"`
		} `json:"results"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	if f.Metadata.InvocationID != a.RunID {
		return nil, fmt.Errorf("%s is of another run", a.Results)
	}
	out := map[string]string{}
	for _, r := range f.Results {
		if r.Compiled != nil {
			out[r.ID] = *r.Compiled
		}
	}
	return out, nil
}
