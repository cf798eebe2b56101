package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hodor/bench/coverage"
	"hodor/doctor"
	"hodor/explain"
	"hodor/internal/statetest"
	"hodor/report"
	"hodor/session"
)

var update = flag.Bool("update", false, "rewrite docs/schemas")

// schemas are the JSON outputs of the commands that read the store, each with the command lines whose output must conform.
var schemas = []struct {
	name, title string
	of          any
	lines       [][]string
}{
	{"explain", "explain --json: why a run built or reused its nodes", explain.Answer{}, [][]string{
		{"explain"}, {"explain", "-s", "summary"}, {"explain", "-s", "customers", "--diff"}, {"explain", "--against", statetest.Invocation(5)},
		{"explain", "--invocation", statetest.Invocation(1)}, {"explain", "--invocation", statetest.Invocation(6), "-s", "customers"},
		{"explain", "--invocation", statetest.Invocation(8)},
	}},
	{"history", "history --json: the builds and reuses of one node", explain.Past{}, [][]string{{"history", "orders"}, {"history", "forecast"}}},
	{"report", "report --json: what was reused and built, why, and what it saved", report.Report{}, [][]string{
		{"report", "--since", "2026-10-01"}, {"report", "--since", "2026-10-01", "--price-per-hour", "4"}, {"report", "--since", "2099-01-01"},
	}},
	{"false-reuses", "report --false-reuses --json: the wrong decisions of shadow mode", falseAnswer{}, [][]string{
		{"report", "--false-reuses", "--since", "2026-10-01"}, {"report", "--false-reuses", "--since", "2099-01-01"},
	}},
	{"prune", "prune --json: how many records are, or would be, deleted", pruneAnswer{}, [][]string{{"prune"}, {"prune", "--keep", "2026-10-04"}}},
	{"doctor", "doctor --json: the findings, and the settings with their sources", doctor.Answer{}, [][]string{{"doctor"}}},
	{"version", "version --json", about{}, [][]string{{"version"}}},
	{"bench", "bench --json: how much of many SQL texts hodor understands, and how fast", coverage.Report{}, [][]string{
		{"bench", "--seconds", "0", filepath.Join(repository, "corpus", "databricks", "broken")},
		{"bench", "--seconds", "0", "--baseline", filepath.Join(repository, "bench", "baseline", "databricks.json"), filepath.Join(repository, "corpus", "databricks", "models")},
	}},
}

// enums are the values of keys that have a closed list, wherever they stand.
var enums = map[string][]any{
	"decision": {"build", "reuse"}, "action": {"build", "reuse"}, "mode": {"shadow", "on"}, "schema_version": {1},
	"last_action": {"build", "reuse"}, "Finding.state": {"ok", "warn", "fail", "skip"}, "Upstream.state": {"same", "changed", "unknown", "new", "gone"},
}

// optional keys have the name of one with a closed list and another meaning.
var optional = map[string]bool{"Cause.action": true, "Cause.decision": true}

// schemaOf describes a type as JSON schema: every key that is always there is required, and no other key is allowed.
func schemaOf(t reflect.Type, defs map[string]any) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		s := schemaOf(t.Elem(), defs)
		if ref, ok := s["$ref"]; ok {
			return map[string]any{"oneOf": []any{map[string]any{"$ref": ref}, map[string]any{"type": "null"}}}
		}
		s["type"] = []any{s["type"], "null"}
		return s
	case reflect.Slice:
		items := t.Elem()
		if items.Kind() == reflect.Pointer { // lists of nodes hold no null
			items = items.Elem()
		}
		return map[string]any{"type": "array", "items": schemaOf(items, defs)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Struct:
		ref := map[string]any{"$ref": "#/$defs/" + t.Name()}
		if _, done := defs[t.Name()]; done {
			return ref
		}
		defs[t.Name()] = nil
		properties, required := map[string]any{}, []any{}
		for _, f := range reflect.VisibleFields(t) {
			key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || key == "" {
				continue
			}
			fieldType := f.Type
			if rest == "omitempty" && fieldType.Kind() == reflect.Pointer {
				fieldType = fieldType.Elem()
			}
			s := schemaOf(fieldType, defs)
			values, ok := enums[t.Name()+"."+key]
			if !ok && !optional[t.Name()+"."+key] {
				values = enums[key]
			}
			if values != nil {
				s = map[string]any{"enum": values}
			}
			properties[key] = s
			if rest != "omitempty" {
				required = append(required, key)
			}
		}
		defs[t.Name()] = map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
		return ref
	}
	panic("a key of type " + t.String())
}

// TestSchemas: docs/schemas describes what the commands print, to the last key, and what they print conforms.
func TestSchemas(t *testing.T) {
	dir := t.TempDir()
	store, err := openStore(storeAsk{settings: session.Settings{Store: "duckdb", Path: "state.duckdb"}, root: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Append(context.Background(), statetest.Shop().Records); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HODOR_PATH", filepath.Join(dir, "state.duckdb"))
	t.Chdir(dir)
	for _, c := range schemas {
		defs := map[string]any{}
		root := schemaOf(reflect.TypeOf(c.of), defs)
		root["$schema"], root["title"], root["$defs"] = "https://json-schema.org/draft/2020-12/schema", c.title, defs
		raw, err := json.MarshalIndent(root, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, '\n')
		path := filepath.Join(repository, "docs", "schemas", c.name+".json")
		stored := statetest.Golden(t, path, raw, *update)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(stored))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(c.name+".json", document); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile(c.name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range c.lines {
			var out, errs bytes.Buffer
			if status := run(append([]string{"hodor-sql", line[0], "--json"}, line[1:]...), strings.NewReader(""), &out, &errs); status > statusNo {
				t.Fatalf("%v: status %d, %s", line, status, &errs)
			}
			got, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatalf("%v: %v", line, err)
			}
			if err := schema.Validate(got); err != nil {
				t.Errorf("%v: %v", line, err)
			}
		}
	}
}

var repository = func() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}()
