package normalize

import (
	"sort"
	"strings"
)

// facts lists what the analysis found, in the order of the text, each entry once.
func (a *analysis) facts() Facts {
	f := Facts{SelectStar: a.star, Tables: [][]string{}, Paths: []string{}, Opaque: []string{}, Volatile: []Volatile{}}
	sort.SliceStable(a.tables, func(i, j int) bool { return a.tables[i].start < a.tables[j].start })
	seen := map[string]bool{}
	for _, t := range a.tables {
		if key := strings.Join(t.parts, "\x00"); !seen[key] {
			seen[key] = true
			f.Tables = append(f.Tables, t.parts)
		}
	}
	f.Paths = append(f.Paths, inOrder(a.paths)...)
	f.Opaque = append(f.Opaque, inOrder(a.opaque)...)
	sort.SliceStable(a.calls, func(i, j int) bool { return a.calls[i].start < a.calls[j].start })
	listed := map[Volatile]bool{}
	for _, c := range a.calls {
		if c.latent && !c.active {
			continue
		}
		v := Volatile{Function: c.function, Kind: c.kind.String(), Use: "stamp"}
		if c.deciding {
			v.Use = "deciding"
		}
		if !listed[v] {
			listed[v] = true
			f.Volatile = append(f.Volatile, v)
		}
	}
	for name := range a.functions {
		f.Calls = append(f.Calls, name)
	}
	sort.Strings(f.Calls)
	return f
}

// inOrder sorts words by their place and drops repetitions.
func inOrder(words []textAt) []string {
	sort.SliceStable(words, func(i, j int) bool { return words[i].start < words[j].start })
	seen := map[string]bool{}
	var out []string
	for _, w := range words {
		if !seen[w.text] {
			seen[w.text] = true
			out = append(out, w.text)
		}
	}
	return out
}
