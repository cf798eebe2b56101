// Package corpus reads the texts of this folder: SQL of both dialects that was written, or is generated, for this project, with what hodor should make of
// each. index.csv lists them; README.md says how to add one.
package corpus
