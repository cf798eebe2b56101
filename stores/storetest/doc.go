// Package storetest is the one conformance suite for state stores: every backend passes Run. It tests what package stores promises, on a
// real database, with package memory as the model.
package storetest
