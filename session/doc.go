// Package session is one dbt run: it loads history, answers decisions, records what was built, flushes and sums up. It ties project,
// normalize, lineage, versions, engine and stores together; it knows no JSON-RPC.
//
// # One node
//
// Decide gathers what the engine needs in four steps, each in a file of its own: the texts (facts.go: the compiled SQL's facts, from the record
// when the text is the recorded one, and those of hooks and header), what they read (lineage), the versions of all that (evidence.go), the
// record. All versions are read before the answer, whatever it is, since a record must hold those from before the build (S3). Built takes
// the outcome: what may have been written is stale (S15), the target's new version is read, and the record is queued.
//
// # What is never done
//
// A doubt is never resolved in favour of a reuse: a text that is not known, a version that can't be read, a record that can't be decoded are
// empty values, and the engine builds on those. A panic in Decide is a build with hodor_error. Nothing of SQL, literals or settings is
// recorded or logged but hashes, names of relations and functions, and, with hodor_keep_sql, canonical SQL; docs/records.md lists every key.
package session
