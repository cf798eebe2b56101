// Package protocol is the wire between dbt and hodor-sql: JSON-RPC 2.0, one compact object a line, both directions, over the child's stdin and
// stdout. docs/protocol.md is the whole contract; this package knows frames, ids, errors and the hello, and no method's meaning beyond the
// types of its parameters (types.go).
//
// # Concurrency
//
// One goroutine reads (the caller of Conn.Serve), one writes. A request runs inline in the reader when its Method says so, which only what
// never blocks may do; all others run in goroutines, at most Options.Running at once, the rest queued in order. The reader never waits for a
// handler and never for the pipe: answers go to an unbounded queue that the writer drains. So neither side can block the other by writing
// much before it reads.
//
// # Memory
//
// Lines have no length limit on the wire and none in the buffer below MaxLine. A longer line (256 MiB; the largest compiled SQL known is about
// one) is drained without being kept and answered with an error, so the node builds. What a connection holds is the line being read, the
// requests queued (at most Options.Queued, more are refused, which builds) and the answers not yet written.
package protocol
