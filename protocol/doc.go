// Package protocol is the wire between dbt and hodor-sql: JSON-RPC 2.0, one compact object a line, both directions, over the child's stdin and
// stdout. docs/protocol.md is the whole contract; this package knows frames, ids, errors, the hello and the names of the service's methods. What
// they take and give is package session's (api.go), what they do the caller's.
//
// # Concurrency
//
// One goroutine reads (the caller of Conn.Serve), one writes. A request runs inline in the reader when its Method says so, which only what
// never blocks may do; all others run in goroutines, at most Options.Running at once, the rest queued in order. The reader never waits for a
// handler and never for the pipe: answers go to a queue that the writer drains, and that ends the connection when it grows beyond
// Options.MaxUnread. So neither side can block the other by writing much before it reads.
//
// # Memory
//
// A line of more than MaxLine (256 MiB; the largest compiled SQL known is about one) is drained without being kept and answered with an error, so
// the node builds. What a connection holds is the line being read, the requests that run or wait (at most Options.Running and Options.Queued,
// their parameters together at most Options.MaxWaiting; more are refused, which builds) and the answers not yet read (Options.MaxUnread).
package protocol
