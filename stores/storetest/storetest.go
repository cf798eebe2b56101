package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"hodor/stores"
)

// Place is an empty place in which stores can be opened, several at a time.
type Place struct {
	// Open opens another store on the place.
	Open func(o Options) (stores.Store, error)
	// Exec runs a statement beside the store; nil for a store without SQL, which is then spared the tests of damage and of other schemas.
	Exec func(t *testing.T, statement string)
	// Table and Commit are the quoted names of the tables for Exec, Text is the type of text columns.
	Table, Commit, Text string
	// PlainNames: a name has no hyphen.
	PlainNames bool
	// Twins: nothing keeps two rows of one generation out of the commit table.
	Twins bool
}

// Options say how a store is opened. Empty names mean the place's own.
type Options struct {
	Schema, Table string
	ReadOnly      bool
}

// Backend is what Run tests.
type Backend struct {
	// New makes an empty place that ends with the test.
	New func(t *testing.T) Place
	// Few: 2,000 records are many.
	Few bool
	// Slow: each statement takes about a second, most of it waiting, so the suite asks the same in fewer statements and runs its tests side by side.
	Slow bool
	// Names: schema and table can be chosen.
	Names bool
	// Again: the same statements reach the same engine on another way, so only what the way may change is tested: values, sizes, errors, and writers
	// that meet each other.
	Again bool
}

// all is a store with all that the module's stores offer.
type all interface {
	stores.Store
	stores.Committer
	stores.Reporter
}

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	onTheWay := []string{"RoundTrip", "Values", "Hostile", "BigJSON", "Identifiers", "Batches", "Cancelled", "ConcurrentWriters", "Commits", "ConcurrentClaims"}
	for _, test := range []struct {
		name string
		run  func(*testing.T, Backend)
	}{
		{"Empty", testEmpty}, {"RoundTrip", testRoundTrip}, {"Values", testValues}, {"Hostile", testHostile}, {"BigJSON", testBigJSON}, {"Identifiers", testIdentifiers},
		{"Newest", testNewest}, {"Window", testWindow}, {"Scopes", testScopes}, {"Batches", testBatches}, {"AppendTwice", testAppendTwice},
		{"AppendKeepsRecords", testAppendKeepsRecords}, {"Durable", testDurable}, {"Cancelled", testCancelled},
		{"ConcurrentWriters", testConcurrentWriters}, {"ReadOnly", testReadOnly}, {"History", testHistory}, {"Prune", testPrune},
		{"FalseReuses", testFalseReuses}, {"Damage", testDamage}, {"OlderSchema", testOlderSchema}, {"NewerSchema", testNewerSchema},
		{"ForeignTable", testForeignTable}, {"Commits", testCommits}, {"ConcurrentClaims", testConcurrentClaims}, {"Model", testModel},
		{"Many", testMany},
	} {
		if b.Again && !slices.Contains(onTheWay, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			if b.Slow {
				t.Parallel()
			}
			test.run(t, b)
		})
	}
}

func open(t *testing.T, p Place, o Options) all {
	t.Helper()
	s, err := p.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	full, ok := s.(all)
	if !ok {
		t.Fatalf("%T is no Committer and Reporter", s)
	}
	return full
}

// fresh opens a store on an empty place.
func fresh(t *testing.T, b Backend) all {
	t.Helper()
	return open(t, b.New(t), Options{})
}

var scope = stores.Scope{Project: "shop", Target: "dev"}

// base is the time at which the records of the tests begin, epoch ms.
const base = int64(1_792_465_200_000)

func p[T any](v T) *T { return &v }

// record makes a successful build of a model: key names its node, n its time (in seconds after base) and its ids. Every build takes 100 ms.
func record(key string, n int64) stores.Record {
	return stores.Record{
		RecordID: fmt.Sprintf("r-%s-%06d", key, n), InvocationID: fmt.Sprintf("i-%06d", n), RecordedAtMS: base + n*1000 + 200,
		ProjectName: scope.Project, TargetName: scope.Target, NodeKey: "db.main." + key, UniqueID: "model.shop." + key, ResourceType: "model",
		Mode: "on", Decision: "build", Reason: "code_changed", Action: "build", Status: "success",
		TextHash: p("0123"), CodeHash: p("abcd"), ConfigHash: p("ef"), HashVersion: "1", SQLFacts: p(`{"tables":[["a"]]}`),
		DataVersion: p(fmt.Sprintf("v%d", n)), BuiltAtMS: p(base + n*1000), Upstreams: p(`{"db.main.a":"7@1"}`), HodorVersion: "0.1.0", BuildMS: p(int64(100)),
	}
}

// with returns r with changes.
func with(r stores.Record, changes ...func(*stores.Record)) stores.Record {
	for _, c := range changes {
		c(&r)
	}
	return r
}

func add(t *testing.T, s stores.Store, records ...stores.Record) {
	t.Helper()
	if err := s.Append(context.Background(), records); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s stores.Store, sinceMS int64) *stores.Loaded {
	t.Helper()
	l, err := s.Load(context.Background(), scope, sinceMS)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func history(t *testing.T, s stores.Store, q stores.Query) []stores.Record {
	t.Helper()
	h, err := s.History(context.Background(), scope, q)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// found is the record id of a node's history, "" for none.
func found(l *stores.Loaded, key string) string {
	if r := l.Records["db.main."+key]; r != nil {
		return r.RecordID
	}
	return ""
}
