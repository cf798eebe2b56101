// Package stores keeps hodor's records: one row for each decision of a run, append-only. A Store knows nothing about decisions; it loads,
// appends, lists and prunes rows. Every backend passes the conformance suite in stores/storetest.
//
// The schema is that of spec section 8.1 plus commit_id, build_ms and checksum. Times are epoch milliseconds in UTC on the
// warehouse's clock. Text is stored escaped (EscapeText) so that every backend returns it byte for byte.
package stores
