// Command normalize measures from text to hash and facts: hodor and other pipelines on the same texts, in one run, each in a process of its own. It
// prints a report in Markdown. `make bench-normalize` runs it; README.md says what is measured and how.
package main
