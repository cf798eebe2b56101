// Package statetest makes state stores for the tests of what reads them: records such as a run writes, of a small shop over some weeks. SQL is
// analysed by package normalize, so hashes, literals and tables are those that a run would record; times, ids and versions are made up and the
// same each time. It also compares with golden files.
package statetest
