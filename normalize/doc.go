// Package normalize turns compiled SQL into facts and hashes: text in, canonical text, text hash, code hash and what the query reads out.
//
// # The law
//
// Equal code hash means the same rows, column names and column types on every database where the first one ran, with no schema known.
// Normalization may only do what keeps that law; when anything is in doubt the text stays as written, since a split costs a build and a merge
// costs trust. It never reorders, folds or simplifies. docs/limits.md has what is known against it.
//
// The canonical text is SQL of the same dialect with the same meaning, which makes the law a property that can be executed: package
// soundness runs generated queries beside their canonical text, and beside whatever else has their hash.
//
// # The way of a text
//
//	placeholder.go    this run's values become placeholders, and the text hash is that of what they leave (hash.go). Whoever has the facts of a
//	                  text with that hash need not come here at all
//	grammar           tokens and tree; a text that does not parse is hashed by its tokens, and its facts claim nothing (level text)
//	pass_placeholder  the values inside literals and names of the tree
//	pass_shape        one form of a query: FROM first, TABLE t, parentheses, set operations, joins, limits
//	bind*.go          scopes: which FROM item, common table expression or parameter a name means, and what reaches which column
//	pass_fold, pass_names
//	pass_parens, pass_types, pass_spelling, in one walk
//	pass_qualify_table
//	facts.go          tables, paths, opaque inputs, volatile calls, select star
//
// Level "qualified" says that every name was bound to something or proven not to be resolvable without a schema and left as written; at level
// "parsed" some construct is not understood so far, and Error says which.
//
// # Facts
//
// A volatile call is a stamp only if its value, alone or with constants, reaches nothing but output columns. The binder follows it as a taint
// through expressions, columns, common table expressions and stars (value.go); whatever compares, groups, orders or combines it with rows
// decides. An extra entry costs a build, a missing one would be a wrong reuse.
package normalize
