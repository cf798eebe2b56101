package texts

import (
	"fmt"
	"strings"

	"hodor/grammar"
)

// Large returns one text of at least that many bytes: a UNION ALL of models in parentheses.
func Large(bytes int, d grammar.Dialect) Text {
	models := Models(500, 3, d)
	var b strings.Builder
	b.Grow(bytes + 1<<16)
	for i := 0; b.Len() < bytes; i++ {
		if i > 0 {
			b.WriteString("\nunion all\n")
		}
		fmt.Fprintf(&b, "(\n%s)", models[i%len(models)].SQL)
	}
	return Text{"large", b.String()}
}
