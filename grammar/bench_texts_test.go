package grammar_test

import (
	"testing"

	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// BenchmarkTexts parses the texts of make bench-parse; one operation is the whole set.
func BenchmarkTexts(b *testing.B) {
	for _, set := range texts.Sets(300) {
		b.Run(set.Name, func(b *testing.B) {
			b.SetBytes(int64(set.Bytes()))
			b.ReportAllocs()
			for b.Loop() {
				for _, t := range set.Texts {
					if _, err := grammar.Parse(t.SQL, set.Dialect); err != nil {
						b.Fatalf("%s: %v", t.Name, err)
					}
				}
			}
		})
	}
}
