// Package memory is a store that keeps its records in the process: for tests of what stands above the stores, and as the model that the
// conformance suite compares the other stores with.
package memory
