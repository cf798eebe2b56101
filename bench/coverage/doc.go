// Package coverage takes many SQL texts to their hashes and facts and reports how well that goes: the share at each level, what does not parse and where,
// opaque and volatile inputs, and what it costs. It is what `hodor-sql bench` prints, and what releases are compared by.
package coverage
