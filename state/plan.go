package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"hodor/engine"
	"hodor/executor"
	"hodor/grammar"
	"hodor/normalize"
	"hodor/project"
	"hodor/session"
	"hodor/stores"
	"hodor/versions"
)

// compileFirst is what helps where the manifest and the compiled SQL beside it are missing or of two commands.
const compileFirst = "compile the project: `state compile`, or leave --no-compile out"

// planned is a plan with what only this process needs to carry it out.
type planned struct {
	Plan
	project  *project.Project
	graph    *graph
	compiled *compiled
	facts    map[string]NodeFacts
	// loaded are the records that the plan was made from, by node key: the record ids.
	loaded   map[string]string
	scope    stores.Scope
	describe Description
	// session is what was read of the warehouse's session, sessionSettings what else of it enters configuration hashes.
	session         versions.Session
	sessionSettings string
	// hazards are the ids of nodes that may write elsewhere (S28); endHooks: an on-run-end hook may write.
	hazards  map[string]bool
	endHooks bool
	sources  map[string]sourceFact
	tests    map[string]session.Decided
	checks   map[string][]string // tests and unit tests by what they test
}

// source tells where a plan's project comes from.
type source struct {
	artifacts executor.Artifacts
	// measured says what to make of the sources: not asked, asked and failed (nil), or measured.
	asked    bool
	measured map[string]measurement
}

// planner makes one plan.
type planner struct {
	o       *Options
	out     Outside
	from    source
	command string
	// testing: nothing will be built, so nothing is foreseen (state test).
	testing bool

	s      *session.Session
	reader *planReader
	facts  map[string]NodeFacts
	p      planned

	tainted map[string]string // by id: the node above that may write elsewhere
	actions map[string]engine.Action
}

// plan plans the project against the head of its state as it stands now. Statements run through out.
func (o *Options) plan(ctx context.Context, out Outside, from source, command string) (*planned, error) {
	pl := &planner{
		o: o, out: out, from: from, command: command, testing: command == "test",
		tainted: map[string]string{}, actions: map[string]engine.Action{},
	}
	return pl.make(ctx)
}

func (pl *planner) make(ctx context.Context) (*planned, error) {
	o := pl.o
	d, err := pl.out.Describe(ctx)
	if err != nil {
		return nil, fail(WarehouseUnavailable, "", err, "the project can't be described")
	}
	switch d.Adapter {
	case normalize.DialectDuckDB, normalize.DialectDatabricks:
	default:
		return nil, fail(RequestRefused, "databricks and duckdb are", nil, "the adapter %s is not served", d.Adapter)
	}
	if d.Settings.Store == "" {
		return nil, fail(StoreUnavailable, "set hodor_store and what it needs on the profile target", nil, "no state store is set%s", colon(d.Warnings))
	}
	pl.p.describe = d
	pl.p.scope = stores.Scope{Project: d.ProjectName, Target: d.TargetName}
	if pl.p.compiled, err = readCompiled(pl.from.artifacts.Manifest); err != nil {
		return nil, fail(ManifestUnreadable, compileFirst, err, "the manifest can't be read")
	}
	pl.reader = &planReader{reads: newReads(), tables: map[string]bool{}, views: map[string]engine.Version{}, leftOut: map[string]bool{}, written: map[string]bool{}}

	// The head is read before the records: what is committed in between is then among them, and its claim of the next generation fails.
	var headErr error
	head := stores.Commit{}
	pl.s = session.New(session.Deps{
		Warehouse: pl.out,
		OpenStore: func(ctx context.Context, settings session.Settings, root string, db *sql.DB) (stores.Store, error) {
			store, err := o.OpenStore(ctx, settings, root, db, pl.out)
			if err != nil {
				headErr = err
				return nil, err
			}
			if head, headErr = headOf(ctx, store, pl.p.scope); headErr != nil {
				return nil, errors.Join(headErr, store.Close())
			}
			return store, nil
		},
		Reader:       func(inner versions.Reader) versions.Reader { pl.reader.Reader = inner; return pl.reader },
		Project:      func(p *project.Project) { pl.look(ctx, p) },
		Plan:         true,
		Log:          o.logf,
		HodorVersion: o.Version, Now: o.Now, NewID: o.NewID,
	})
	defer func() { _ = pl.s.Close(context.WithoutCancel(ctx)) }()
	req := d.StartRequest
	req.InvocationID, req.RunStartedAt, req.ManifestPath = pl.from.artifacts.RunID, pl.from.artifacts.RunStartedAt, pl.from.artifacts.Manifest
	req.Command, req.Mode, req.Deferred = dbtCommand(pl.command), "shadow", nil
	req.Flags.FullRefresh = o.FullRefresh
	if err := pl.runHooks(ctx, &req); err != nil {
		return nil, err
	}
	pl.p.sessionSettings = req.Context.Session
	answer, err := pl.s.Start(ctx, req)
	switch {
	case ctx.Err() != nil:
		return nil, fail(Interrupted, "run it again", ctx.Err(), "stopped while the plan was made; nothing was built")
	case err != nil:
		return nil, fail(ManifestUnreadable, compileFirst, err, "the plan can't be made")
	case answer.Store != "ok":
		return nil, fail(StoreUnavailable, "see hodor_store in the documentation", headErr, "the state store can't be read%s", colon(answer.Warnings))
	}
	if n := pl.uncompiled(); n > 0 {
		pl.p.Warnings = append(pl.p.Warnings, fmt.Sprintf("%d nodes are not compiled in this manifest, so they build: dbt run and build compile only what they run, and other commands nothing. Use state compile.", n))
	}
	pl.p.session = pl.s.Session()
	if pl.p.session.NowMS == 0 {
		return nil, fail(WarehouseUnavailable, "look at the profile, and at what else uses the warehouse", nil, "the warehouse can't be read%s", colon(answer.Warnings))
	}
	pl.p.Warnings = append(append(append([]string{}, d.Warnings...), pl.p.Warnings...), answer.Warnings...)
	pl.p.loaded = map[string]string{}
	for key, r := range pl.s.Loaded().Records {
		pl.p.loaded[key] = r.RecordID
	}
	if err := pl.decideAll(ctx); err != nil {
		return nil, err
	}
	pl.document(head)
	pl.begin(ctx)
	return &pl.p, nil
}

// begin records, before dbt is started, that the builds of nodes begin which may write other tables (session.Begin). What comes of them may have no
// record, on DuckDB not even if all goes well (S28). Their history is void from here on, and so is no state that another run could take over.
func (pl *planner) begin(ctx context.Context) {
	o := pl.o
	if !o.builds() || o.Saved != nil && o.Saved.stale(&pl.p.Plan) != "" {
		return
	}
	var ids []string
	for _, n := range pl.p.Build {
		if pl.p.hazards[n.ID] {
			ids = append(ids, n.ID)
		}
	}
	keys, err := pl.s.Begin(ctx, ids)
	if err != nil {
		o.logf("the beginning of this run can't be recorded: %v", err)
		return
	}
	for _, key := range keys {
		delete(pl.p.loaded, key)
	}
}

// builds tells whether the command has dbt build anything.
func (o *Options) builds() bool {
	return !o.DryRun && o.Command != "compile" && o.Command != "plan" && o.Command != "test"
}

// uncompiled counts the models and snapshots of which the manifest holds no compiled SQL.
func (pl *planner) uncompiled() (count int) {
	for id, n := range pl.p.project.Nodes {
		if (n.Resource == project.Model || n.Resource == project.Snapshot) && n.Kind != project.KindEphemeral {
			if _, ok := pl.p.compiled.sql[id]; !ok {
				count++
			}
		}
	}
	return count
}

// headOf is the newest commit of a scope. A store without commits can't be used here.
func headOf(ctx context.Context, store stores.Store, scope stores.Scope) (stores.Commit, error) {
	c, ok := store.(stores.Committer)
	if !ok {
		return stores.Commit{}, fmt.Errorf("%w: the store keeps no commits", stores.ErrUnavailable)
	}
	return c.Head(ctx, scope)
}

func colon(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return ": " + strings.Join(lines, " ")
}

// dbtCommand is the command of dbt that a state command stands for.
func dbtCommand(command string) string {
	switch command {
	case "run", "seed", "snapshot", "test":
		return command
	}
	return "build"
}

// look asks dbt about the nodes of the project before anything is made of it, and takes settings strictly where dbt's manifest does not have them merged.
func (pl *planner) look(ctx context.Context, p *project.Project) {
	pl.p.project, pl.p.graph = p, newGraph(p)
	var ids, render []string
	for id, n := range p.Nodes {
		switch n.Resource {
		case project.Model, project.Seed, project.Snapshot, project.Test:
			ids = append(ids, id)
			if n.Kind != engine.KindUnsupported && p.NeedsRender(n, nil) {
				render = append(render, id)
			}
		}
	}
	slices.Sort(ids)
	slices.Sort(render)
	facts, err := pl.out.Nodes(ctx, ids, render)
	if err != nil {
		pl.p.Warnings = append(pl.p.Warnings, fmt.Sprintf("dbt could not say what stands in the warehouse (%v); everything builds.", err))
	}
	pl.facts, pl.p.facts = facts, facts
	strict := 0
	for _, id := range ids {
		if f, ok := facts[id]; ok && !sameJSON(f.State, pl.p.compiled.state[id]) {
			p.Nodes[id].State = project.State{EvaluateVolatile: project.VolatileAll}
			strict++
		}
	}
	if strict > 0 {
		pl.p.Warnings = append(pl.p.Warnings, fmt.Sprintf("the `state:` settings of %d nodes in the manifest are not those that dbt-hodor reads (compiled without it, or changed since); they are taken as the strictest.", strict))
	}
	pl.p.sources = map[string]sourceFact{}
	if pl.from.asked {
		pl.p.sources = sourceFacts(p, pl.p.compiled.freshness, pl.from.measured, pl.o.TrustLoadedAt)
		if pl.from.measured == nil {
			pl.p.Warnings = append(pl.p.Warnings, "the sources could not be measured; what reads a source builds.")
		}
	}
	pl.reader.sources = pl.p.sources
	for id, n := range p.Nodes {
		if !n.Relation.IsZero() && n.Resource != project.Source && n.Resource != project.Test && pl.leaves(id, n) != "" {
			pl.reader.leftOut[n.Relation.Key()] = true
		}
	}
}

// runHooks takes the hooks at the start and the end of a run into account: they run whenever dbt does, and the plan is made before.
func (pl *planner) runHooks(ctx context.Context, req *session.StartRequest) error {
	hooks, err := pl.out.RunHooks(ctx)
	if err != nil {
		return fail(WarehouseUnavailable, "", err, "dbt can't render the project's hooks")
	}
	dialect, err := grammar.DialectOf(req.Adapter)
	if err != nil {
		return fail(RequestRefused, "", err, "the adapter is not served")
	}
	start := effectsOf(hooks.Start, dialect, req.Database, req.Schema)
	pl.p.endHooks = !effectsOf(hooks.End, dialect, req.Database, req.Schema).harmless()
	pl.reader.everything, pl.reader.written = start.anything && !pl.testing, start.writes
	if start.anything {
		pl.p.Warnings = append(pl.p.Warnings, "an on-run-start hook may write any table: what reads a table builds. Say what it writes in plain SQL, or move it into a model.")
	}
	if req.Adapter == normalize.DialectDuckDB {
		// The hooks run on connections like the nodes'; here they have not run.
		pl.reader.noSession = start.unknown
		if start.session != "" {
			req.Context.Session += start.session
		}
	}
	return nil
}

// decideAll decides every node, parents first. Nodes of one level are decided beside each other: each may wait for the warehouse.
func (pl *planner) decideAll(ctx context.Context) error {
	pl.p.hazards, pl.p.tests, pl.p.checks = map[string]bool{}, map[string]session.Decided{}, map[string][]string{}
	threads := max(1, pl.p.describe.Settings.MetadataThreads)
	for _, level := range append(slices.Clone(pl.p.graph.levels), pl.p.graph.stuck) {
		var wg sync.WaitGroup
		room := make(chan struct{}, threads)
		for _, id := range level {
			room <- struct{}{}
			wg.Go(func() {
				defer func() { <-room }()
				pl.decide(ctx, id)
			})
		}
		wg.Wait()
		if err := ctx.Err(); err != nil {
			return fail(Interrupted, "", err, "stopped while the plan was made")
		}
		// Only once the level is decided: what one of its nodes will build is no business of the others.
		for _, id := range level {
			pl.settle(id)
		}
	}
	return nil
}

// decide asks for one node. Ephemeral models have no decision.
func (pl *planner) decide(ctx context.Context, id string) {
	n := pl.p.project.Nodes[id]
	switch n.Resource {
	case project.Model, project.Seed, project.Snapshot, project.Test, project.Function:
	default:
		return
	}
	if n.Kind == project.KindEphemeral {
		return
	}
	req := pl.request(id)
	answer, err := pl.s.Decide(ctx, req)
	if err == nil && answer.Need == "sql" {
		if text, ok := pl.p.compiled.sql[id]; ok {
			req.SQL = &text
			answer, err = pl.s.Decide(ctx, req)
		}
	}
	if err != nil || answer.Need != "" {
		return // no decision: it builds
	}
}

// request is what the plugin would send of a node.
func (pl *planner) request(id string) session.DecideRequest {
	f := pl.facts[id]
	req := session.DecideRequest{ID: id, Relation: f.Relation, Hooks: f.Hooks, Pointer: f.Pointer}
	if text, ok := pl.p.compiled.sql[id]; ok {
		hash := pl.s.TextHash(text)
		req.TextHash = &hash
	}
	return req
}

// settle takes a decision over: what is above and may write elsewhere builds what is below (S28), and what will be built is foreseen.
func (pl *planner) settle(id string) {
	n := pl.p.project.Nodes[id]
	above := ""
	for _, parent := range pl.p.graph.parents[id] {
		if pl.tainted[parent] != "" && (above == "" || pl.tainted[parent] < above) {
			above = pl.tainted[parent]
		}
	}
	pl.tainted[id] = above
	if n.Resource == project.UnitTest || n.Resource == project.Test {
		for _, parent := range n.Parents {
			pl.p.checks[parent] = append(pl.p.checks[parent], id)
		}
	}
	if n.Kind == project.KindEphemeral || n.Resource == project.UnitTest {
		return
	}
	d, decided := pl.s.Decided(id)
	if !decided {
		d.Decision = engine.Decision{Action: engine.Build, Reason: engine.HodorError}
		d.WritesElsewhere = true
	}
	if above != "" && d.Action != engine.Build && !pl.testing {
		d.Decision = engine.Decision{Action: engine.Build, Reason: engine.UnknownUpstream, Evidence: []engine.Evidence{{What: "node " + above}}}
		d.Note = above + " may write other tables"
		d.Replay = ""
	}
	if n.Resource == project.Test {
		pl.p.tests[id] = d
		return
	}
	pl.actions[id] = d.Action
	pl.p.Nodes = append(pl.p.Nodes, pl.node(n, d))
	if d.Action != engine.Build || pl.testing {
		return
	}
	if d.WritesElsewhere || n.Kind == engine.KindUnsupported || pl.runsSQL(n, map[string]bool{}) {
		pl.p.hazards[id] = true
		pl.tainted[id] = id
	}
	if n.Relation.IsZero() {
		return
	}
	key := n.Relation.Key()
	target := session.Foreseen(key)
	if decided {
		target = pl.s.Foresee(id)
	}
	switch {
	case n.Kind == engine.KindView:
		pl.reader.willBuildView(key, target)
	case n.MakesTable():
		pl.reader.willBuildTable(key)
	}
}

// runsSQL tells whether SQL runs while a node is compiled: by its own template or that of an ephemeral parent, which is compiled with it.
func (pl *planner) runsSQL(n *project.Node, seen map[string]bool) bool {
	if pl.p.project.RunsSQLAtCompile(n) {
		return true
	}
	for _, id := range n.Parents {
		if parent := pl.p.project.Nodes[id]; parent != nil && parent.Kind == project.KindEphemeral && !seen[id] {
			seen[id] = true
			if pl.runsSQL(parent, seen) {
				return true
			}
		}
	}
	return false
}

func (pl *planner) node(n *project.Node, d session.Decided) PlanNode {
	out := PlanNode{
		ID: n.UniqueID, Name: displayName(n), ResourceType: string(n.Resource), Materialized: n.Materialized, Action: d.Action, Reason: d.Reason,
		Note: d.Note, Built: d.Built, Identity: d.Identity, LastBuildMS: d.BuildMS, Evidence: []Evidence{}, Tests: []string{}, Parents: []string{},
	}
	for _, e := range d.Evidence {
		out.Evidence = append(out.Evidence, Evidence{e.What, e.Then, e.Now})
	}
	for _, parent := range pl.p.graph.parents[n.UniqueID] {
		if p := pl.p.project.Nodes[parent]; p != nil && p.Resource != project.Source {
			out.Parents = append(out.Parents, parent)
		}
	}
	return out
}

// displayName is a node's name with its version, as dbt prints it.
func displayName(n *project.Node) string {
	if n.Version != "" {
		return n.Name + ".v" + n.Version
	}
	return n.Name
}

// document fills in what is left of the plan.
func (pl *planner) document(head stores.Commit) {
	p, o := &pl.p, pl.o
	p.SchemaVersion, p.Command, p.Project, p.Target = PlanVersion, pl.command, p.scope.Project, p.scope.Target
	p.MadeAtMS, _ = pl.s.Clock()
	p.Head = Head{head.Generation, head.CommitID}
	p.HashVersion, p.Manifest = normalize.Version, p.project.InvocationID
	p.Options = PlanOptions{o.FullRefresh, list(o.Select), list(o.Exclude), list(o.ResourceTypes), o.TrustLoadedAt}
	p.Build, p.LeftOut, p.Sources = []executor.NodeRef{}, []LeftOut{}, []executor.NodeRef{}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Tests = append(n.Tests, p.checks[n.ID]...)
		slices.Sort(n.Tests)
		n.Tested = len(n.Tests) > 0 && (n.Action == engine.Reuse || pl.testing)
		for _, t := range n.Tests {
			n.Tested = n.Tested && passed(p.tests[t])
		}
	}
	if !pl.testing {
		p.narrow(pl)
	}
	p.Reads = pl.reader.snapshot()
	if p.Warnings == nil {
		p.Warnings = []string{}
	}
}

// passed tells whether a test would be replayed, as passed (S29). A unit test never is.
func passed(d session.Decided) bool {
	return d.Action == engine.Reuse && (d.Replay == "pass" || d.Replay == "warn")
}

func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// narrow sorts the nodes that are to build into those of this run and those that are left out.
func (p *planned) narrow(pl *planner) {
	var models []string
	for _, n := range p.Nodes {
		if n.Action == engine.Build && n.ResourceType == string(project.Model) && pl.leaves(n.ID, p.project.Nodes[n.ID]) == "" {
			models = append(models, n.ID)
		}
	}
	needed := map[string]bool{}
	if pl.command == "run" {
		needed = p.graph.ancestors(models)
	}
	for _, n := range p.Nodes {
		if n.Action != engine.Build {
			continue
		}
		why := pl.leaves(n.ID, p.project.Nodes[n.ID])
		if why == "" && pl.command == "run" && n.ResourceType != string(project.Model) && !needed[n.ID] {
			why = "no model of this run needs it; use state " + n.ResourceType + " or state build"
		}
		if why != "" {
			p.LeftOut = append(p.LeftOut, LeftOut{n.ID, n.Name, n.Reason, why})
			continue
		}
		p.Build = append(p.Build, executor.NodeRef{ID: n.ID, Name: n.Name})
	}
	p.Sources = p.sourcesOf(p.Build)
}

// sourcesOf lists the sources with tests that nodes read, ephemeral models between them included.
func (p *planned) sourcesOf(nodes []executor.NodeRef) []executor.NodeRef {
	found := map[string]executor.NodeRef{}
	var follow func(id string, seen map[string]bool)
	follow = func(id string, seen map[string]bool) {
		for _, parent := range p.graph.parents[id] {
			n := p.project.Nodes[parent]
			switch {
			case n == nil || seen[parent]:
			case n.Resource == project.Source && len(p.checks[parent]) > 0:
				found[parent] = executor.NodeRef{ID: parent, Name: n.Name}
			case n.Kind == project.KindEphemeral:
				seen[parent] = true
				follow(parent, seen)
			}
		}
	}
	for _, n := range nodes {
		follow(n.ID, map[string]bool{})
	}
	out := []executor.NodeRef{}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[id])
	}
	return out
}

// leaves says why the options leave a node out of this run, "" if they don't.
func (pl *planner) leaves(id string, n *project.Node) string {
	o := pl.o
	kind := string(n.Resource)
	switch pl.command {
	case "seed", "snapshot":
		if kind != pl.command {
			return "state " + pl.command + " builds nothing else"
		}
	case "run":
		if n.Resource == project.Function {
			return "use state build"
		}
	}
	switch {
	case len(o.ResourceTypes) > 0 && !slices.Contains(o.ResourceTypes, kind):
		return "--resource-type"
	case len(o.Select) > 0 && !names(o.Select, id, n):
		return "--select"
	case names(o.Exclude, id, n):
		return "--exclude"
	}
	return ""
}

// names tells whether a list of ids and names holds a node.
func names(list []string, id string, n *project.Node) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return s == id || s == n.Name || s == displayName(n) || s == n.Package+"."+n.Name
	})
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
