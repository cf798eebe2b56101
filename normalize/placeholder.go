package normalize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The values that dbt gives every run anew, invocation_id and run_started_at, stand in compiled SQL as literals. They are replaced by
// placeholders before anything is hashed, so that an audit column is no change (spec 6 step 2, S27).
//
// A placeholder names the value and the form that it was written in: a changed form is a changed text. What is replaced is a whole
// timestamp, down to the second at least; a date alone, or anything coarser, is never replaced, since a constant edited by hand could look
// the same. A zone behind the timestamp (Z, +00:00, UTC) is no part of it and stays.
const (
	placeholderStart = "{{run_started_at:"
	placeholderID    = "{{invocation_id:"
)

// The names under which facts list the two values (kind always).
const (
	functionRunStartedAt = "run_started_at"
	functionInvocationID = "invocation_id"
)

// PerRun tells whether v stands for a value that dbt writes into the SQL of each run as a literal, and not for a call.
func (v Volatile) PerRun() bool {
	return v.Function == functionRunStartedAt || v.Function == functionInvocationID
}

// clockForm is one way to write a moment: a Go layout for the part down to the second, and what joins the fraction to it.
type clockForm struct {
	layout string
	// point stands between seconds and fraction, where a fraction is written.
	point string
}

// clockForms are the forms in which run_started_at is searched in UTC. The place in the list is part of the placeholder: new forms are
// added at the end.
var clockForms = []clockForm{
	{"2006-01-02 15:04:05", "."},
	{"2006-01-02T15:04:05", "."},
	{"20060102150405", ""},
	{"20060102_150405", "_"},
	{"20060102-150405", "-"},
	{"20060102T150405", "."},
	{"20060102 150405", "."},
	{"2006/01/02 15:04:05", "."},
	{"02/01/2006 15:04:05", "."},
	{"01/02/2006 15:04:05", "."},
	{"02.01.2006 15:04:05", "."},
	{"02-01-2006 15:04:05", "."},
	{"2006-01-02_15:04:05", "."},
	{"2006-01-02-15-04-05", "-"},
	{"2006-01-02_15-04-05", "_"},
	{"2006-01-02T15-04-05", "-"},
	{"2006_01_02_15_04_05", "_"},
	{"2006-01-02-15.04.05", "."},
	{"Mon Jan _2 15:04:05 2006", ""},
	{"01/02/06 15:04:05", ""},
	{"2006-01-02 03:04:05 PM", ""},
	{"01/02/2006 03:04:05 PM", ""},
	{"Mon, 02 Jan 2006 15:04:05", ""},
	{"02 Jan 2006 15:04:05", ""},
	{"02-Jan-2006 15:04:05", "."},
	{"Jan 02, 2006 15:04:05", ""},
	{"2006-01-02T150405", "."},
	{"2006.01.02 15:04:05", "."},
	{"2006-01-02 15.04.05", "."},
	{"20060102-15:04:05", "."},
	{"060102150405", ""},
	{"02/01/06 15:04:05", ""},
}

// zonedForms is how many of clockForms, from the first, are also searched in the local times of the world: run_started_at.astimezone(...)
// is in dbt's own examples.
const zonedForms = 5

// zoneMinutes are the offsets from UTC in use, in minutes.
var zoneMinutes = func() []int {
	zones := []int{-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825}
	for hour := -12; hour <= 14; hour++ {
		if hour != 0 {
			zones = append(zones, hour*60)
		}
	}
	slices.Sort(zones)
	return zones
}()

// startLayouts are the spellings of run_started_at that are understood: RFC 3339, or as Python's str() prints it.
var startLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// Replacements lists literal and placeholder for one run, longest literal first and without duplicates. They are meant to be applied in one
// pass: at each place of the text the first literal of the list that matches. An empty invocationID, or a runStartedAt (RFC 3339, UTC if it
// names no zone) that can't be read, gives no literals of its own, which only costs builds. The list always holds one pair for "{{", so that
// no text can be taken for a placeholder.
func Replacements(invocationID, runStartedAt string) [][2]string {
	pairs := append(make([][2]string, 0, 1024), [2]string{"{{", "{{{{"})
	seen := make(map[string]bool, 256)
	add := func(literal, placeholder string) {
		if !seen[literal] {
			seen[literal] = true
			pairs = append(pairs, [2]string{literal, placeholder})
		}
	}
	// An id shorter than a UUID's 32 digits could turn up in a text by chance.
	if len(invocationID) >= 32 {
		bare := strings.ReplaceAll(invocationID, "-", "")
		snake := strings.ReplaceAll(invocationID, "-", "_")
		for i, literal := range []string{invocationID, bare, snake, strings.ToUpper(invocationID), strings.ToUpper(bare), strings.ToUpper(snake)} {
			add(literal, placeholderID+strconv.Itoa(i+1)+"}}")
		}
	}
	if start, ok := parseStart(runStartedAt); ok {
		names := clockNames()
		var texts strings.Builder
		texts.Grow(16 << 10)
		addClock(add, &texts, start, clockForms, names[0])
		addEpoch(add, start)
		// Each of these has a local date and time down to the second, and forms that nothing above shares: no two are equal.
		fresh := func(literal, placeholder string) { pairs = append(pairs, [2]string{literal, placeholder}) }
		for i, minutes := range zoneMinutes {
			addClock(fresh, &texts, start.Add(time.Duration(minutes)*time.Minute), clockForms[:zonedForms], names[i+1])
		}
	}
	return longestFirst(pairs)
}

// longestFirst sorts by the literal's length. Of two of one length only one can match at a place, so they stay as they were added.
func longestFirst(pairs [][2]string) [][2]string {
	var counts [256]int // no literal is as long: longer ones are left at 255
	at := func(p [2]string) int { return 255 - min(len(p[0]), 255) }
	for _, p := range pairs {
		counts[at(p)]++
	}
	next := 0
	for i, n := range counts {
		counts[i], next = next, next+n
	}
	out := make([][2]string, len(pairs))
	for _, p := range pairs {
		out[counts[at(p)]] = p
		counts[at(p)]++
	}
	return out
}

// parseStart reads run_started_at.
func parseStart(text string) (time.Time, bool) {
	for _, layout := range startLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// clockName holds the placeholders of one form in one zone: with microseconds, with milliseconds, with microseconds behind a point where the form has
// another mark, and down to the second.
type clockName struct{ micros, millis, point, seconds string }

// clockNames are the placeholders of clockForms in UTC, then those of the zoned forms in each of zoneMinutes. They are the same in every run.
var clockNames = sync.OnceValue(func() [][]clockName {
	names := func(forms int, zone string) []clockName {
		out := make([]clockName, forms)
		for i := range out {
			start := placeholderStart + strconv.Itoa(i+1)
			out[i] = clockName{start + "us" + zone + "}}", start + "ms" + zone + "}}", start + ".us" + zone + "}}", start + zone + "}}"}
		}
		return out
	}
	all := [][]clockName{names(len(clockForms), "")}
	for _, minutes := range zoneMinutes {
		sign, m := '+', minutes
		if minutes < 0 {
			sign, m = '-', -minutes
		}
		all = append(all, names(zonedForms, fmt.Sprintf("@%c%02d%02d", sign, m/60, m%60)))
	}
	return all
})

// addClock adds the moment t, whose clock already shows the wanted zone, in each form: with microseconds, with milliseconds, without. The literals are
// parts of what it writes to texts.
func addClock(add func(literal, placeholder string), texts *strings.Builder, t time.Time, forms []clockForm, names []clockName) {
	keep := func(b []byte) string {
		n := texts.Len()
		texts.Write(b)
		return texts.String()[n:]
	}
	var short, long [80]byte
	micros := t.AppendFormat(short[:0], ".000000")[1:]
	for i, form := range forms {
		b := t.AppendFormat(long[:0], form.layout)
		n := len(b)
		if !strings.HasSuffix(form.layout, "05") {
			add(keep(b), names[i].seconds)
			continue
		}
		text := keep(append(append(b, form.point...), micros...)) // the shorter ones are parts of it
		add(text, names[i].micros)
		add(text[:len(text)-3], names[i].millis)
		if form.point != "." {
			add(keep(append(append(b, '.'), micros...)), names[i].point)
		}
		add(text[:n], names[i].seconds)
	}
}

// addEpoch adds the seconds since 1970: as Python prints the float, whole, and in milli- and microseconds.
func addEpoch(add func(literal, placeholder string), t time.Time) {
	if t.Unix() < 1e9 {
		return // fewer than ten digits could be anything
	}
	micros := t.UnixMicro()
	float := strconv.FormatFloat(float64(micros)/1e6, 'f', -1, 64)
	if !strings.Contains(float, ".") {
		float += ".0"
	}
	add(float, placeholderStart+"epoch.us}}")
	add(strconv.FormatInt(micros, 10), placeholderStart+"epoch-us}}")
	add(strconv.FormatInt(micros/1000, 10), placeholderStart+"epoch-ms}}")
	add(strconv.FormatInt(micros/1e6, 10), placeholderStart+"epoch}}")
}

// Replacer applies the replacements of one run. The zero value and nil replace nothing but "{{". It is safe for concurrent use.
type Replacer struct {
	pairs [][2]string
	// byStart holds the pairs by the first four bytes of the literal, longest literal first, in the stretches in which they stand in pairs: the local
	// times of the world begin alike.
	byStart map[[4]byte][][][2]string
	first   [256]bool
}

// NewReplacer prepares the replacements of one run; see Replacements for the arguments.
func NewReplacer(invocationID, runStartedAt string) *Replacer {
	r := &Replacer{pairs: Replacements(invocationID, runStartedAt), byStart: make(map[[4]byte][][][2]string, 64)}
	for pairs, n := r.pairs, 1; len(pairs) > 0; pairs, n = pairs[n:], 1 {
		first := pairs[0][0]
		if len(first) < 4 {
			continue
		}
		for n < len(pairs) && strings.HasPrefix(pairs[n][0], first[:4]) {
			n++
		}
		start := [4]byte([]byte(first[:4]))
		r.byStart[start] = append(r.byStart[start], pairs[:n])
		r.first[first[0]] = true
	}
	return r
}

// Pairs returns literal and placeholder, longest literal first; the caller must not change them.
func (r *Replacer) Pairs() [][2]string {
	if r == nil {
		return Replacements("", "")
	}
	return r.pairs
}

// Replace returns the text with this run's values replaced, in one pass.
func (r *Replacer) Replace(text string) string {
	out, _ := r.replace(text, nil)
	return out
}

// replace is Replace; beyond that it appends the names of the values found (run_started_at, invocation_id) to names.
func (r *Replacer) replace(text string, names []string) (string, []string) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '{' && i+1 < len(text) && text[i+1] == '{' {
			b.WriteString(text[done:i])
			b.WriteString("{{{{")
			done = i + 2
			i++
			continue
		}
		if r == nil || !r.first[c] || i+4 > len(text) {
			continue
		}
		if p, ok := r.at(text[i:]); ok {
			b.WriteString(text[done:i])
			b.WriteString(p[1])
			names = appendName(names, p[1])
			done = i + len(p[0])
			i = done - 1
		}
	}
	if done == 0 {
		return text, names
	}
	b.WriteString(text[done:])
	return b.String(), names
}

// at returns the first pair whose literal text begins with; text has four bytes at least.
func (r *Replacer) at(text string) (pair [2]string, ok bool) {
	for _, stretch := range r.byStart[[4]byte([]byte(text[:4]))] {
		for _, p := range stretch {
			if strings.HasPrefix(text, p[0]) {
				return p, true
			}
		}
	}
	return pair, false
}

func appendName(names []string, placeholder string) []string {
	name := functionRunStartedAt
	if strings.HasPrefix(placeholder, placeholderID) {
		name = functionInvocationID
	}
	for _, n := range names {
		if n == name {
			return names
		}
	}
	return append(names, name)
}
