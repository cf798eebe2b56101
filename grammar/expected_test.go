package grammar

import "testing"

func TestExpectedBy(t *testing.T) {
	for _, c := range []struct{ rest, want string }{
		{`")"`, `")"`},
		{`"SET" Assignment ("," Assignment)*`, "SET"},
		{`("WITH" Options)? "AS" Query`, "WITH or AS"},
		{`Name Arguments`, "a name"},
		{`("," Sort)* ","? ")" ("WITH" "(" IndexOption ")")?`, `"," or ")"`},
		{`(?! "ON") Ident "ON"`, "a name"},
		{`("SCHEMA" | "DATA")`, "SCHEMA or DATA"},
		{`("A" | ("B" | "C")+) "D"`, "A, B or C"},
		{`("A"? | "B") "C"`, "A, B or C"},
		{`<string>`, "a string"},
		{`IndexOption`, "an expression or a column"},
		{``, "something else"},
		{`"A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I"`, "A, B, C, D, E, F, G, H or something else"},
	} {
		if got := expectedBy(c.rest); got != c.want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", c.rest, got, c.want)
		}
	}
}
