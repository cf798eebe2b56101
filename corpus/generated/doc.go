// Package generated makes those texts of the corpus that nobody wrote. tools/gen-corpus writes them, and a test holds the files against them.
package generated
