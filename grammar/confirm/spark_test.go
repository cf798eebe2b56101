//go:build spark

package confirm

import (
	"testing"

	"hodor/grammar"
	"hodor/internal/sparktest"
)

// refusedBySpark asks Spark's parser with Delta Lake's grammar.
func refusedBySpark(t *testing.T) func([]string) []string {
	spark := sparktest.Get(t)
	return func(texts []string) (out []string) {
		const batch = 500
		for len(texts) > 0 {
			n := min(batch, len(texts))
			out = append(out, spark.Refused(t, texts[:n]...)...)
			texts = texts[n:]
		}
		return out
	}
}

func TestSparkParsesWhatIsPrinted(t *testing.T) {
	checkPrinted(t, grammar.Databricks, append(own(t, grammar.Databricks), shared(grammar.Databricks)...), 200, refusedBySpark(t))
}

func TestSparkSyntax(t *testing.T) { checkSyntax(t, grammar.Databricks, refusedBySpark(t)) }
