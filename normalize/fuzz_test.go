package normalize

import (
	"strings"
	"testing"
)

// FuzzNormalize: no text makes the normalizer fail, and the canonical text of a text is its own.
func FuzzNormalize(f *testing.F) {
	for _, c := range readCases(f, "testdata/pairs.jsonl") {
		f.Add(c.A, c.Dialect == DialectDuckDB)
	}
	for _, c := range readCases(f, "testdata/facts.jsonl") {
		f.Add(c.SQL, c.Dialect == DialectDuckDB)
	}
	f.Fuzz(func(t *testing.T, sql string, duck bool) {
		opt := Options{Dialect: DialectDatabricks, InvocationID: testInvocation, RunStartedAt: testStart}
		if duck {
			opt.Dialect = DialectDuckDB
		}
		r := Normalize(sql, opt)
		if r.Error != nil && strings.HasPrefix(r.Error.Message, "internal error") {
			t.Fatalf("%q: %s", sql, r.Error.Message)
		}
		if r.Level == LevelText || strings.Contains(sql, "{{") || strings.Contains(r.Normalized, "{{") {
			return // a placeholder in a number or name is no SQL
		}
		if again := Normalize(r.Normalized, opt); again.Normalized != r.Normalized {
			t.Fatalf("%q\n%q\n%q", sql, r.Normalized, again.Normalized)
		}
	})
}
