package session

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hodor/engine"
	"hodor/lineage"
	"hodor/normalize"
	"hodor/project"
	"hodor/stores"
	"hodor/versions"
	"hodor/warehouse"
)

// Deps are what a session needs from the process around it.
type Deps struct {
	// Warehouse runs statements on dbt's connection.
	Warehouse warehouse.Host
	// OpenStore opens the state store that the settings name. It may use the warehouse (Delta). An error leaves the run without history.
	// root is the project's root, to which a relative path is relative.
	OpenStore func(ctx context.Context, settings Settings, root string, warehouse *sql.DB) (stores.Store, error)
	// Reader, if set, stands between the session and the versions of the warehouse (outside.go). Project is shown the manifest before anything is
	// made of it, and may tighten settings.
	Reader  func(versions.Reader) versions.Reader
	Project func(*project.Project)
	// Plan: the decisions are for a plan, and nothing is built upon an answer.
	Plan bool
	// Log takes lines for the log. nil: nowhere.
	Log func(format string, args ...any)
	// HodorVersion goes into records.
	HodorVersion string
	// Now is time.Now and NewID a new UUID, but for tests.
	Now   func() time.Time
	NewID func() string
	// Go starts work beside the caller's. nil: a goroutine.
	Go func(func())
}

// ErrNoRun is returned by calls before Start or after Finish.
var ErrNoRun = errors.New("no run was started, or it is finished")

// Session is one run. Create it with New; Start comes first and once, then Decide, Built and Tested from any goroutine, then Finish, and in
// any case Close.
type Session struct {
	deps Deps

	// Set by Start, read-only after.
	req       StartRequest
	proj      *project.Project
	hasher    *project.Hasher
	replacer  *normalize.Replacer
	resolver  *lineage.Resolver
	db        *sql.DB
	reader    versions.Reader
	session   versions.Session // as the run began; NowMS 0: the clock is unknown
	loaded    *stores.Loaded
	noReuse   engine.Reason    // S4
	noRecords bool             // S4, or no clock to date records with
	unread    bool             // the store could not be read
	future    map[string]int64 // by node key: the time of its newest record, if that lies in the future

	running    atomic.Bool
	statements atomic.Int64

	mu       sync.Mutex
	states   map[string]*state // by unique id: what was decided
	queue    []*queued
	flushing bool // a flush in the middle of the run is on its way
	warnings []string
	counts   counts
	lostWhy  error // why the last of the lost records could not be written
	// undecided is the first node whose decision failed, and why.
	undecided string
	hookMemo  map[string]hookText
	viewMemo  map[*stores.Record]lineage.Facts // what records of views say; a view has many readers
	writers   int                              // attempts under way that may write elsewhere
	wrote     uint64                           // counts the beginnings of such attempts

	ahead lookahead

	// now is the session as it is known at present (see present); moved says that a statement since may have changed it.
	nowMu sync.Mutex
	now   versions.Session
	moved bool

	storeMu     sync.Mutex // one write at a time
	store       stores.Store
	beganInVain time.Duration // see beginWithin

	// Replaced by tests.
	normalize func(sql string, opt normalize.Options) normalize.Result
	newReader func(adapter string, db *sql.DB, opt versions.Options) (versions.Reader, error)
}

type counts struct{ parsed, sqlSent, errors, recorded, lost int }

// New returns a session that has not started.
func New(deps Deps) *Session {
	if deps.Log == nil {
		deps.Log = func(string, ...any) {}
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.NewID == nil {
		deps.NewID = newUUID
	}
	if deps.Go == nil {
		deps.Go = func(f func()) { go f() }
	}
	return &Session{
		deps: deps, states: map[string]*state{}, hookMemo: map[string]hookText{}, viewMemo: map[*stores.Record]lineage.Facts{},
		normalize: normalize.Normalize, newReader: newReader,
	}
}

// counting counts statements on their way to the host.
type counting struct{ s *Session }

func (c counting) Query(ctx context.Context, statement string) (warehouse.Answer, error) {
	c.s.statements.Add(1)
	return c.s.deps.Warehouse.Query(ctx, statement)
}

// Start reads the manifest, the warehouse's clock and session, and the history. A manifest that can't be read or is of another invocation is a
// *project.ReadError or *project.StaleError, and no run is started. Neither an unreachable store nor an unreadable clock is an error: the run
// builds everything then, and a warning says so.
func (s *Session) Start(ctx context.Context, req StartRequest) (StartAnswer, error) {
	if s.running.Load() || s.proj != nil {
		return StartAnswer{}, errors.New("the run was started before")
	}
	if req.Mode != "on" && req.Mode != "shadow" {
		return StartAnswer{}, fmt.Errorf("mode %q is neither on nor shadow", req.Mode)
	}
	p, err := project.Load(req.ManifestPath, req.InvocationID)
	if err != nil {
		return StartAnswer{}, err
	}
	s.req, s.proj = req, p
	s.warnings = slices.Clone(p.Warnings)
	s.replacer = normalize.NewReplacer(req.InvocationID, req.RunStartedAt)
	s.db = warehouse.Open(counting{s}, req.Settings.MetadataThreads)
	opt := versions.Options{Log: s.deps.Log, Now: s.deps.Now, Catalog: req.Database}
	if s.reader, err = s.newReader(req.Adapter, s.db, opt); err != nil {
		return StartAnswer{}, err
	}
	if s.deps.Reader != nil {
		s.reader = s.deps.Reader(s.reader)
	}
	if s.deps.Project != nil {
		s.deps.Project(p)
	}
	s.resolver = lineage.NewResolver(p, lineage.Options{Dialect: req.Adapter, Catalog: req.Database, Schema: req.Schema, Deferred: req.Deferred}, s)
	s.hasher = p.NewHasher(s.hashContext())

	if s.session, err = s.reader.Session(ctx); err != nil {
		s.session = versions.Session{}
		s.noRecords = true
		s.warn("the warehouse's session can't be read: %v; this run builds everything and records nothing.", err)
	}
	s.now = s.session
	var hidden []string
	for _, name := range s.session.UserFunctions {
		if _, some := normalize.MacroHides(name); some {
			hidden = append(hidden, name)
		}
	}
	if len(hidden) > 0 {
		s.warn("user functions hide built-in ones (%s): what calls them can't be traced and builds. Give them other names.", strings.Join(hidden, ", "))
	}
	if f := req.Flags; f.Empty || f.Sample || f.EventTime {
		s.noReuse, s.noRecords = engine.NoHistory, true
	}
	answer := StartAnswer{Replacements: s.replacer.Pairs(), RenderHooks: []string{}, Store: "ok"}
	if err := s.loadHistory(ctx); err != nil {
		answer.Store, s.unread = "unavailable", true
		s.warn("%v; this run builds everything.", err)
	}
	answer.Records = len(s.loaded.Records)
	for _, id := range req.Nodes {
		if n := p.Nodes[id]; n != nil && n.Kind != engine.KindUnsupported && p.NeedsRender(n, req.Deferred) {
			answer.RenderHooks = append(answer.RenderHooks, id)
		}
	}
	s.planAhead()
	answer.Warnings = s.takeWarnings()
	s.running.Store(true)
	return answer, nil
}

// allStale makes every version stale, and what is known of the warehouse's session: a hook may write anything, make a macro that hides a built-in,
// or change a setting for all (S15).
func (s *Session) allStale() {
	s.reader.InvalidateAll()
	if s.req.Adapter != normalize.DialectDuckDB {
		return // a session there is one connection's own
	}
	s.nowMu.Lock()
	s.moved = true
	s.nowMu.Unlock()
}

// present returns the warehouse's session, read again if a statement may have changed it. Where it can't be read its fingerprint is unknown, and so
// is every config hash. Its clock is not to be used: nowMS has the one of the start.
func (s *Session) present(ctx context.Context) versions.Session {
	s.nowMu.Lock()
	defer s.nowMu.Unlock()
	if s.moved {
		now, err := s.reader.Session(ctx)
		if err != nil {
			s.deps.Log("the warehouse's session can't be read again: %v", err)
			now = versions.Session{}
		}
		s.now, s.moved = now, err != nil
	}
	return s.now
}

func newReader(adapter string, db *sql.DB, opt versions.Options) (versions.Reader, error) {
	switch adapter {
	case normalize.DialectDuckDB:
		return versions.NewDuckDB(db, opt), nil
	case normalize.DialectDatabricks:
		return versions.NewDatabricks(db, opt), nil
	}
	return nil, fmt.Errorf("adapter %q is not served; databricks and duckdb are", adapter)
}

// hashContext is what of the run may enter config hashes (S21, S22).
func (s *Session) hashContext() project.Context {
	f := s.req.Flags
	f.WarnError = "" // for tests only, below
	flags, _ := json.Marshal(struct {
		Command string
		Flags
	}{s.req.Command, f})
	selected := slices.Clone(s.req.Nodes)
	slices.Sort(selected)
	sum := sha256.Sum256([]byte(strings.Join(selected, "\n")))
	dispatch := ""
	if yml, err := os.ReadFile(filepath.Join(s.req.ProjectRoot, "dbt_project.yml")); err == nil {
		dispatch = project.Dispatch(string(yml))
	}
	return project.Context{
		Vars: s.req.Context.Vars, Target: s.req.Context.Target, Threads: s.req.Context.Threads, Selected: hex.EncodeToString(sum[:]), Flags: string(flags),
		WarnError: s.req.Flags.WarnError, StoreFailures: s.req.Flags.StoreFailures, Dispatch: dispatch,
	}
}

// loadHistory opens the store and reads the records. s.loaded is never nil after.
func (s *Session) loadHistory(ctx context.Context) error {
	s.loaded = &stores.Loaded{}
	store, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	now := s.recordMS() // what lies between the two clocks may be the future (S5)
	if now == 0 {
		return nil
	}
	const dayMS = 24 * 60 * 60 * 1000
	loaded, err := store.Load(ctx, s.scope(), now-int64(s.req.Settings.LookbackDays)*dayMS)
	if err != nil {
		return fmt.Errorf("the state store can't be read: %w", err)
	}
	s.future = loaded.DropFuture(now)
	if damaged := loaded.Rejected - len(s.future); damaged > 0 {
		s.warn("%d records in the state store are damaged and count as none; their nodes build.", damaged)
	}
	if len(s.future) > 0 {
		if err := s.loadPresent(ctx, store, loaded, now); err != nil {
			return err
		}
	}
	s.loaded = loaded
	return nil
}

// earlier is the part of stores.Reporter that loadPresent asks.
type earlier interface {
	LoadBefore(ctx context.Context, scope stores.Scope, sinceMS, beforeMS int64, keys ...string) (*stores.Loaded, error)
}

// loadPresent looks behind records from the future, which a clock that was wrong once has left. A build whose record says that it found one there
// already is newer than that one, whatever their times say (S2), and is the node's history.
func (s *Session) loadPresent(ctx context.Context, store stores.Store, loaded *stores.Loaded, now int64) error {
	if older, ok := store.(earlier); ok {
		const dayMS = 24 * 60 * 60 * 1000
		since := now - int64(s.req.Settings.LookbackDays)*dayMS
		present, err := older.LoadBefore(ctx, s.scope(), since, now+1, slices.Sorted(maps.Keys(s.future))...)
		if err != nil {
			return fmt.Errorf("the state store can't be read: %w", err)
		}
		present.DropFuture(now)
		for key, r := range present.Records {
			if f := recordedFacts(r); f != nil && f.After >= s.future[key] {
				loaded.Records[key] = r
			}
		}
	}
	left, latest := 0, int64(0)
	for _, id := range s.req.Nodes {
		if n := s.proj.Nodes[id]; n != nil {
			if key := s.proj.NodeKey(n, nil); s.future[key] > 0 && loaded.Records[key] == nil {
				left, latest = left+1, max(latest, s.future[key])
			}
		}
	}
	if left > 0 {
		s.warn("the newest records of %d nodes are from the future (up to %s): was a clock wrong? They count as none, and these nodes build now.",
			left, time.UnixMilli(latest).UTC().Format("2006-01-02 15:04 UTC"))
	}
	return nil
}

func (s *Session) scope() stores.Scope {
	return stores.Scope{Project: s.req.ProjectName, Target: s.req.TargetName}
}

// openStore returns the store, opening it if that has not worked yet.
func (s *Session) openStore(ctx context.Context) (stores.Store, error) {
	s.storeMu.Lock()
	defer s.storeMu.Unlock()
	return s.openStoreLocked(ctx)
}

func (s *Session) openStoreLocked(ctx context.Context) (stores.Store, error) {
	if s.store != nil {
		return s.store, nil
	}
	store, err := s.deps.OpenStore(ctx, s.req.Settings, s.req.ProjectRoot, s.db)
	if err != nil {
		return nil, err
	}
	s.store = store
	return store, nil
}

// nowMS is the warehouse's clock now as decisions take it: its reading at the start plus the monotonic time since it was asked for (S5). It may be
// ahead by what the answer took, but never behind, so that no build seems younger than it is. 0: unknown.
func (s *Session) nowMS() int64 { return s.clock(s.session.Asked) }

// recordMS is the same as records take it: since the answer, so that no build seems later than it was, and none comes from the future.
func (s *Session) recordMS() int64 { return s.clock(s.session.Taken) }

func (s *Session) clock(since time.Time) int64 {
	if s.session.NowMS == 0 {
		return 0
	}
	return s.session.NowMS + s.deps.Now().Sub(since).Milliseconds()
}

// warn keeps a line for the host to show once.
func (s *Session) warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if !slices.Contains(s.warnings, line) {
		s.warnings = append(s.warnings, line)
	}
}

func (s *Session) takeWarnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.warnings
	s.warnings = nil
	if lines == nil {
		return []string{}
	}
	return lines
}

// Close flushes what is queued and lets go of the store. It is safe after Finish and without Start.
func (s *Session) Close(ctx context.Context) error {
	if s.running.Swap(false) && s.req.Flags.FailFast {
		// dbt ended without a last word, and with --fail-fast only that tells which finished nodes count.
		s.mu.Lock()
		s.queue = nil
		s.mu.Unlock()
	}
	s.endAhead()
	err := s.flush(ctx)
	s.storeMu.Lock()
	defer s.storeMu.Unlock()
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
		s.store = nil
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
