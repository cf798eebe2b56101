// Package fake is the executor without an engine: it builds the nodes of an executortest.World in memory, in the meaning of the contract. Tests of
// planning and recording use it, and the broken variants prove that the conformance suite can fail.
package fake
