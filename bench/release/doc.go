// Command release is the benchmark before a release: the corpus by level and beside peers, the decision path, dbt runs, start-up, the manifest. It prints a
// report in Markdown; `make bench` runs it, docs/benchmarks.md says what the figures mean.
package main
