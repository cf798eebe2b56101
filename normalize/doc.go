// Package normalize turns compiled SQL into facts and hashes: text in, canonical text, text hash, code hash and what the query reads out.
//
// Soundness law: equal code hash means the same rows, column names and column types on every database where the first one ran, with no
// schema known. Normalization may only do what keeps that law.
package normalize
