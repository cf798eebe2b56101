package normalize

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// facts lists what the analysis found, in the order of the text, each entry once.
func (a *analysis) facts() Facts {
	f := Facts{SelectStar: a.star, Tables: [][]string{}, Paths: []string{}, Opaque: []string{}, Volatile: []Volatile{}}
	slices.SortStableFunc(a.tables, func(x, y tableRead) int { return cmp.Compare(x.start, y.start) })
	var seen nameTable
	for _, t := range a.tables {
		key := t.parts[0]
		if len(t.parts) > 1 {
			key = strings.Join(t.parts, "\x00")
		}
		if seen.isNew(&a.mem, key) {
			f.Tables = append(f.Tables, slices.Clone(t.parts)) // the parts go back with the analysis
		}
	}
	f.Paths = append(f.Paths, a.inOrder(a.paths)...)
	f.Opaque = append(f.Opaque, a.inOrder(a.opaque)...)
	slices.SortStableFunc(a.calls, func(x, y *volatileCall) int { return cmp.Compare(x.start, y.start) })
	var listed map[Volatile]bool
	for _, c := range a.calls {
		if c.latent && !c.active {
			continue
		}
		v := Volatile{Function: c.function, Kind: c.kind.String(), Use: "stamp"}
		if c.deciding {
			v.Use = "deciding"
		}
		if !listed[v] {
			if listed == nil {
				listed = map[Volatile]bool{}
			}
			listed[v] = true
			f.Volatile = append(f.Volatile, v)
		}
	}
	if len(a.functions) > 0 {
		f.Calls = slices.AppendSeq(make([]string, 0, len(a.functions)), maps.Keys(a.functions))
		slices.Sort(f.Calls)
	}
	return f
}

// inOrder sorts words by their place and drops repetitions.
func (a *analysis) inOrder(words []textAt) []string {
	slices.SortStableFunc(words, func(x, y textAt) int { return cmp.Compare(x.start, y.start) })
	var seen nameTable
	var out []string
	for _, w := range words {
		if seen.isNew(&a.mem, w.text) {
			out = append(out, w.text)
		}
	}
	return out
}
