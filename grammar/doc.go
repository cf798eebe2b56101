// Package grammar reads and writes the SQL of Databricks and of DuckDB.
//
//	file, err := grammar.Parse(sql, grammar.Databricks)   // text to tree, or a *ParseError with line and column
//	text := grammar.Print(file, grammar.Databricks)       // tree to canonical SQL that quotes every identifier
//	same := grammar.Equal(a, b)                           // trees compared without their places in the text
//	grammar.Walk(node, visit); grammar.Rewrite(node, f)   // traversal; replacement of expressions in place
//	err := grammar.Lend(sql, d, use)                      // Parse for those who need the tree only within use
//	for tok, err := range grammar.Tokens(sql, d) { .. }   // the lexer alone, without comments
//
// # Shape
//
// Queries, expressions, data types and names are parsed by one hand-written core over 12-byte tokens; every other
// statement is a participle production that calls back into the core. Both count the same tokens. A text that starts like
// a query never touches participle.
//
// Words are never keywords for the lexer: a word is an identifier with the number of the keyword that it spells, and the
// parser decides by what stands around it. keywords.csv has the classes of both dialects.
//
// # What is accepted
//
// The two dialects are a bit set, and a construct of one is refused in the other. Where the engines themselves accept a
// text only because nothing is reserved (a column called FROM without quotes, an alias called WHERE), and every such text
// fails later in analysis, it may be refused here. DuckDB means 1.5 and 2.0: what either accepts is accepted, and where
// they read one text differently the node says so (Binary.Diverges and its kin), or the text is refused (1e without digits).
// Of DuckDB 2.0 alone, these are refused: names in back quotes; CREATE TRIGGER; CREATE, REGISTER and DESTROY of an EXTERNAL
// RESOURCE; a schema inside a schema where the name is that of a schema (CREATE, DROP, USE) or of a type; empty lists behind IN and
// ANY; and what 2.0 reads and then refuses whatever the catalog holds, such as INSERT and its kin in the WITH of a subquery.
//
// testdata/syntax has more than a thousand texts, each marked as the engines' parsers judge it; package confirm asks them.
// testdata/known_gaps.txt has the texts that grammar and an engine judge differently, each with its reason.
//
// # Bounds
//
// Texts are valid UTF-8 without NUL, below 2 GiB. Nesting (parentheses, subqueries, CASE, calls, types, unary and postfix
// chains) is bounded by MaxDepth, and deeper text is an ordinary ParseError. Chains of AND, OR, operators of one level, set
// operations, joins and pipes are flat and unbounded. Time and memory grow linearly with the text.
//
// A tree of Parse shares memory with its text and with no other tree, so it may be changed freely; the nodes of one that is lent
// serve other trees afterwards. Parse and Lend are safe for concurrent use.
package grammar
