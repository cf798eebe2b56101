// Command gen-keywords turns keywords.csv of the current directory into keywords_gen.go: a number for each word, its
// classes in both dialects, and the hash table that the lexer probes.
package main
