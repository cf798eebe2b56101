// Command gen-walk writes walk_gen.go in the current directory: for every struct of the package that embeds Span, a method
// that visits its parts in the order of its fields. So a new node, or a new field, can't be forgotten by a traversal. A
// production (a struct that embeds tagged) is printed by its own tags, and gets a print method unless it has one.
package main
