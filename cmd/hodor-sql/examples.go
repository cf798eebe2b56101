package main

import "strings"

// examples makes the description of a command: pairs of what to type, without the program's name, and what it does.
func examples(pairs ...string) string {
	var b strings.Builder
	b.WriteString("Examples:")
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("\n   hodor-sql " + pairs[i] + "\n      " + pairs[i+1])
	}
	return b.String()
}
