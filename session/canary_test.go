package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"hodor/normalize"
	"hodor/stores"
)

// TestNothingSecretIsKept plants a word where users have secrets: in SQL, as literal, comment, identifier of a secret's function, in a URL and in a hook, in
// what dbt says of a failed test, and in a panic's way. It is in no record, no answer that goes to the log, and no line of the service's log.
// Vars and the profile never reach the service but as hashes (Context).
func TestNothingSecretIsKept(t *testing.T) {
	const canary = "canary-hunter2"
	w := shop(t)
	w.add("model.shop.orders", "table", `select id, '`+canary+`' as k, secret('`+canary+`') -- `+canary+`
		from "shop"."main"."stg", 'https://me:`+canary+`@files.example/x.csv?sig=`+canary+`' where token <> '`+canary+`'`, "model.shop.stg")
	hook := "insert into log values ('" + canary + "')"
	w.nodes["model.shop.daily"].rendered = &Hooks{Post: []*string{&hook}}
	w.nodes["model.shop.daily"].config["post-hook"] = []any{map[string]any{"sql": "insert into log values ('{{ var(''" + canary + "'') }}')"}}
	var mu sync.Mutex
	var log strings.Builder
	show := func(what string, v any) {
		raw, err := json.Marshal(v)
		must(t, err)
		if strings.Contains(string(raw), canary) {
			t.Errorf("%s holds it: %s", what, raw)
		}
	}
	for _, round := range []string{"built", "again", "edited", "crash", "unparsable"} {
		r := w.begin()
		r.s.deps.Log = func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&log, format+"\n", args...)
		}
		switch round {
		case "edited":
			w.nodes["model.shop.orders"].sql += " and 1 = 2"
		case "crash":
			w.nodes["model.shop.orders"].sql += " and 2 = 3"
			r.s.normalize = func(sql string, _ normalize.Options) normalize.Result {
				list := strings.Split(sql, canary)
				return normalize.Result{Normalized: list[len(list)]}
			}
		case "unparsable":
			w.nodes["model.shop.orders"].sql = "select from where '" + canary + "' broken ("
		}
		for _, id := range []string{"model.shop.stg", "seed.shop.rates", "model.shop.orders", "model.shop.daily", "test.shop.positive"} {
			n := w.nodes[id]
			show("the decision of "+id, r.decide(id))
			if n.resource != "test" {
				r.end(id, w.build(n), true)
				continue
			}
			message, failures := "Conversion Error: Could not convert string '"+canary+"' to INT32", int64(1)
			must(t, r.s.Built(context.Background(), BuiltRequest{ID: id, Status: "error", Message: &message, Failures: &failures, Attempted: true}))
		}
		r.done(FinishRequest{})
		show("the start", r.start)
		show("the end", r.finish)
		list, err := w.store.History(context.Background(), stores.Scope{Project: "shop", Target: "dev"}, stores.Query{InvocationID: r.id})
		must(t, err)
		if len(list) < 4 {
			t.Errorf("%s: %d records", round, len(list))
		}
		show("the store after "+round, list)
	}
	if strings.Contains(log.String(), canary) {
		t.Errorf("the log holds it: %s", log.String())
	}
	if !strings.Contains(log.String(), "panic") {
		t.Error("nothing crashed: the way of a panic was not tested")
	}
}

func TestPublicPath(t *testing.T) {
	for path, want := range map[string]string{
		`'https://files.example/x.csv?sig=abc&se=2'`:     `'https://files.example/x.csv?...'`,
		`'https://me:pw@files.example/a/x.csv'`:          `'https://...files.example/a/x.csv'`,
		`'https://me:p@ss@files.example/x.csv?k=v'`:      `'https://...files.example/x.csv?...'`,
		`'s3://bucket/x.parquet?s3_secret_access_key=k'`: `'s3://bucket/x.parquet?...'`,
		`'data/2026-0?.csv'`:                             `'data/2026-0?.csv'`,
		"delta.`abfss://box@account.example/t`":          "delta.`abfss://box@account.example/t`",
	} {
		if got := publicPath(path); got != want {
			t.Errorf("publicPath(%s) = %s, want %s", path, got, want)
		}
	}
}
