package coverage

import (
	"fmt"
	"io"
	"strings"

	"hodor/normalize"
)

// most is how many names a line of counts has.
const most = 12

// Print writes the report for people.
func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s of %s SQL\n\n", plural(r.Texts, "text"), size(r.Bytes), r.Dialect)
	fmt.Fprintf(w, "  %-10s %8s %8s %10s\n", "level", "texts", "share", "size")
	for _, l := range r.Levels {
		fmt.Fprintf(w, "  %-10s %8d %6.1f %% %10s\n", l.Level, l.Texts, 100*l.Share, size(l.Bytes))
	}
	r.printFailures(w, normalize.LevelText, "do not parse: each change of a word builds them, and what they read is not known")
	r.printFailures(w, normalize.LevelParsed, "parse, but not every name could be resolved: renamed aliases count as changes")
	if text := r.Levels[len(r.Levels)-1].Texts; 2*text > r.Texts {
		fmt.Fprint(w, "\nMost do not parse. Is it the other dialect (--dialect), or not compiled SQL? `dbt compile` writes target/compiled.\n")
	}
	r.printCounts(w, "opaque inputs (hodor can't know what they read, so their readers build)", r.Opaque, func(f File) bool { return f.Opaque > 0 })
	r.printCounts(w, "volatile calls (`normalize --explain` says whether they decide)", r.Volatile, func(f File) bool { return f.Volatile > 0 })
	s := r.Speed
	fmt.Fprintf(w, "\n%.1f MB/s of processor time, %.3g ms for all; %.1f bytes allocated for each byte of text", s.MBPerSecond, s.CPUMS, s.AllocatedBytes)
	if s.PeakBytes > 0 {
		fmt.Fprintf(w, ", %s of memory at most", size(s.PeakBytes))
	}
	fmt.Fprintln(w)
	if a := r.Against; a != nil {
		fmt.Fprintf(w, "\nagainst %s: it needs %.2f times the processor time", a.Program, a.CPURatio)
		if a.PeakRatio > 0 {
			fmt.Fprintf(w, " and %.2f times the memory", a.PeakRatio)
		}
		fmt.Fprintf(w, "; %s with another code hash, %d with other facts\n", plural(a.OtherHash, "text"), a.OtherFact)
		printChanges(w, a.Better, a.Worse)
	}
	if b := r.Baseline; b != nil {
		fmt.Fprintf(w, "\nbaseline %s: the rate is %.2f times its rate, which was measured at another time; %s with another code hash, %d new, %d gone\n",
			b.File, b.RateRatio, plural(b.OtherHash, "text"), len(b.New), len(b.Gone))
		printChanges(w, b.Better, b.Worse)
	}
}

func (r Report) printFailures(w io.Writer, level, what string) {
	first := true
	for _, f := range r.Files {
		if f.Level != level {
			continue
		}
		if first {
			fmt.Fprintf(w, "\n%s:\n", what)
			first = false
		}
		if f.Error == nil {
			fmt.Fprintf(w, "  %s\n", f.Name)
			continue
		}
		fmt.Fprintf(w, "  %s:%d:%d: %s\n", f.Name, f.Error.Line, f.Error.Column, f.Error.Message)
	}
}

func (r Report) printCounts(w io.Writer, what string, counts []Count, has func(File) bool) {
	if len(counts) == 0 {
		return
	}
	texts := 0
	for _, f := range r.Files {
		if has(f) {
			texts++
		}
	}
	fmt.Fprintf(w, "\n%s: %s\n ", what, plural(texts, "text"))
	for i, c := range counts {
		if i == most {
			fmt.Fprintf(w, " and %d more", len(counts)-most)
			break
		}
		fmt.Fprintf(w, " %s %d", c.Name, c.Texts)
		if i < min(len(counts), most)-1 {
			fmt.Fprint(w, ",")
		}
	}
	fmt.Fprintln(w)
}

func printChanges(w io.Writer, better, worse []Change) {
	for _, list := range []struct {
		word    string
		changes []Change
	}{{"better", better}, {"worse", worse}} {
		for _, c := range list.changes {
			fmt.Fprintf(w, "  %s: %s was %s, is %s\n", list.word, c.Name, c.Then, c.Now)
		}
	}
}

// Worse is how many texts are at a lower level than in either comparison.
func (r Report) Worse() int {
	names := map[string]bool{}
	add := func(changes []Change) {
		for _, c := range changes {
			names[c.Name] = true
		}
	}
	if r.Against != nil {
		add(r.Against.Worse)
	}
	if r.Baseline != nil {
		add(r.Baseline.Worse)
	}
	return len(names)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func size(bytes int) string {
	switch b := float64(bytes); {
	case b >= 1e6:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", b/1e6), ".0") + " MB"
	case b >= 1e3:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", b/1e3), ".0") + " kB"
	}
	return fmt.Sprintf("%d B", bytes)
}
