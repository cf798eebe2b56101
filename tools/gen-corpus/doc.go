// Command gen-corpus writes the generated texts of the corpus: dbt models of both dialects, the same for the same seed.
//
//	go run ./tools/gen-corpus corpus
package main
