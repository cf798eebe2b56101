//go:build spark

package confirm

import (
	"testing"

	"hodor/grammar"
	"hodor/internal/sparktest"
)

// TestSparkParsesWhatIsPrinted is for Spark's parser with Delta Lake's grammar.
func TestSparkParsesWhatIsPrinted(t *testing.T) {
	spark := sparktest.Get(t)
	checkPrinted(t, grammar.Databricks, append(own(t, grammar.Databricks), shared(grammar.Databricks)...), 200, func(texts []string) (out []string) {
		const batch = 500
		for len(texts) > 0 {
			n := min(batch, len(texts))
			out = append(out, spark.Refused(t, texts[:n]...)...)
			texts = texts[n:]
		}
		return out
	})
}
