package session

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hodor/normalize"
)

// docs/records.md lists every key of the JSON columns.
func TestRecordsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "records.md"))
	must(t, err)
	for _, v := range []any{sqlFacts{}, hookFacts{}, viewFacts{}, literals{}, testResult{}, normalize.Facts{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key != "" && !strings.Contains(string(doc), "`"+key+"`") {
				t.Errorf("docs/records.md does not list %s of %T", key, v)
			}
		}
	}
}
