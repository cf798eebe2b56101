// Command parse measures from text to tree: hodor's grammar and other parsers on the same texts, in one run, each in a process
// of its own. It prints a report in Markdown. `make bench-parse` runs it; README.md says what is measured and how.
package main
