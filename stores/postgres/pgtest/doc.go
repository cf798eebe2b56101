// Package pgtest starts a real PostgreSQL server for tests: data in a folder of its own, loopback only, passwords by SCRAM. The server ends with
// the test binary, however that ends.
package pgtest
