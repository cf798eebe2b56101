// Package measure has what the programs under bench share: running a peer in a process of its own and reading what it took, and counting the
// steps of a text and of one twice as long.
package measure
