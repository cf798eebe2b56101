package soundness

import (
	"os"
	"strings"
	"testing"

	"hodor/grammar"
	"hodor/normalize"
)

// under is the canonical text of a query under the real passes and an unsound one, given the real one's; empty if the unsound pass makes no SQL.
func under(u *unsound, query, sound string) string {
	return underIn(grammar.DuckDB, hash, u, query, sound)
}

// underIn is under in a dialect.
func underIn(d grammar.Dialect, hash func(string) normalize.Result, u *unsound, query, sound string) string {
	if !u.before {
		file, err := grammar.Parse(sound, d)
		if err != nil {
			return ""
		}
		u.pass(file)
		return grammar.Print(file, d)
	}
	file, err := grammar.Parse(query, d)
	if err != nil {
		return ""
	}
	plain := grammar.Print(file, d)
	u.pass(file)
	changed := grammar.Print(file, d)
	if changed == plain {
		return sound
	}
	r := hash(changed)
	if r.Level == normalize.LevelText {
		return ""
	}
	return r.Normalized
}

// TestUnsoundPassesAreCaught is the check of the check: with any of these passes added, the law must be seen to break, or the generator does not
// write the texts that would show it. A statement that is no SQL proves nothing, so that errors of the parser do not count.
func TestUnsoundPassesAreCaught(t *testing.T) {
	if len(unsoundPasses) < 30 {
		t.Fatalf("only %d passes", len(unsoundPasses))
	}
	e := newLinked(t)
	alive := map[int]bool{}
	for i := range unsoundPasses {
		alive[i] = true
	}
	// What stays short finds most of them; `make soundness` all.
	limit, want := 400, 75
	if os.Getenv("HODOR_SOUNDNESS_PAIRS") != "" {
		limit, want = 40000, len(unsoundPasses)
	}
	if testing.Short() {
		limit, want = 100, 30
	}
	queries := 0
	for seed := firstSeed(); queries < limit && len(alive) > 0; seed++ {
		if seed == firstSeed() || seed%perSchema == 0 {
			if err := fillAll(e, seed/perSchema); err != nil {
				t.Fatal(err)
			}
		}
		base, decisions := text(seed, 0, 0)
		first, runs := runAll(e, base)
		if !runs {
			continue
		}
		queries++
		sound := hash(base).Normalized
		breaks := func(other string) bool {
			if other == "" || other == base {
				return false
			}
			n, got := differ(e, first, base, other)
			return n >= 0 && !strings.Contains(got.err, "Parser Error") && !strings.Contains(got.err, "INTERRUPT")
		}
		// Texts that the real passes keep apart from this one.
		var others, theirs []string
		for _, other := range relatives(seed, base, decisions) {
			if canonical := hash(other).Normalized; other != "" && canonical != sound {
				others, theirs = append(others, other), append(theirs, canonical)
			}
		}
		for i := range unsoundPasses {
			if !alive[i] {
				continue
			}
			u := &unsoundPasses[i]
			canonical := under(u, base, sound)
			if canonical != sound && breaks(canonical) {
				delete(alive, i)
				continue
			}
			for k, other := range others {
				if under(u, other, theirs[k]) == canonical && breaks(other) {
					delete(alive, i)
					break
				}
			}
		}
	}
	for i := range alive {
		t.Logf("not caught: %s", unsoundPasses[i].name)
	}
	caught := len(unsoundPasses) - len(alive)
	t.Logf("%d of %d unsound passes caught by %d queries", caught, len(unsoundPasses), queries)
	if caught < want {
		t.Errorf("%d of %d unsound passes caught by %d queries, want %d", caught, len(unsoundPasses), queries, want)
	}
}
