// Command steps parses or normalizes each shape and query of bench/parse/texts at several sizes, and writes how often each statement of the code
// ran and how much was allocated. It has to be built with go build -cover -covermode=atomic; package measure does.
package main
