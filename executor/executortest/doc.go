// Package executortest holds every executor to the meaning of the contract: the cases of Cases, each a property that a caller relies on. An
// executor's test calls Run with a Harness that makes executors over small worlds; the package's own tests prove for each case that a wrong
// executor fails it.
package executortest
