// Command steps parses each shape of bench/parse/texts at several sizes and writes how often each statement of the parser ran.
// It has to be built with go build -cover -covermode=atomic -coverpkg=hodor/grammar; the test of bench/parse does.
package main
