package normalize

import (
	"reflect"
	"strings"
	"testing"
)

func TestSaltedLiterals(t *testing.T) {
	list := func(texts ...string) []Literal {
		var out []Literal
		for i, text := range texts {
			out = append(out, Literal{Text: text, Line: 1, Column: i + 1})
		}
		return out
	}
	s, again := SaltLiterals(list("'a'", "7")), SaltLiterals(list("'a'", "7"))
	if s.Salt == again.Salt || s.Hashes[0] == again.Hashes[0] {
		t.Errorf("two texts share a salt or a hash: %+v, %+v", s, again)
	}
	if strings.Contains(strings.Join(s.Hashes, ""), "a'") || len(s.Hashes[0]) != 8 {
		t.Errorf("hashes %q", s.Hashes)
	}
	for _, c := range []struct{ now, want []Literal }{
		{list("'a'", "7"), nil},
		{list("'a'", "8"), list("'a'", "8")[1:]},
		{list("'b'", "8"), list("'b'", "8")},
		{list("'b'"), nil},
		{nil, nil},
	} {
		if got := s.Changed(c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Changed(%v) = %v, want %v", c.now, got, c.want)
		}
	}
	if SaltLiterals(nil) != nil || (*SaltedLiterals)(nil).Changed(list("1")) != nil {
		t.Error("no literals are something")
	}
}

// A literal that holds the run's own id or time is the same literal in the next run.
func TestSaltedLiteralsOfTwoRuns(t *testing.T) {
	run := func(id, started string) Result {
		sql := "select '" + id + "' as run, '" + started + "' as started, 1 as x"
		return Normalize(sql, Options{Dialect: DialectDuckDB, InvocationID: id, RunStartedAt: started})
	}
	a := run("4b0a52c3-64ae-4f3c-9c3b-000000000001", "2026-10-20 04:12:00.123456+00:00")
	b := run("4b0a52c3-64ae-4f3c-9c3b-000000000002", "2026-10-21 04:12:00.654321+00:00")
	if changed := SaltLiterals(a.Literals).Changed(b.Literals); len(a.Literals) != 3 || len(changed) > 0 {
		t.Errorf("%d literals, changed: %+v", len(a.Literals), changed)
	}
}
