// Package dbt builds with dbt: it starts the dbt command line with selectors that reach exactly the requested nodes, and reads what became of them.
//
// # Exact selection
//
// dbt has no selector for one node's id. A bare name also takes folders and packages of that name, fqn: matches by prefix and with or without the
// package, path: is a pattern. So each selector is checked against the manifest with dbt's own matching rules (match.go) before anything runs,
// and what can't be selected exactly is refused. Characters that dbt's syntax splits or reinterprets never get into a selector.
//
// # What counts
//
// Outcomes come from a run_results.json of this very invocation: its id differs from that of the file before the run, and equals the one that dbt's
// log events name. Events alone are progress for people; they prove nothing. dbt's settings are classified, one and all, in settings.go: what would
// make a build something else than the real thing is refused or overridden, also where a .env file or dbt_project.yml asks for it.
//
// # The process
//
// dbt runs in a process group of its own; both its streams are drained to the end, whatever the length of a line; what it prints goes to
// Options.Output, never to standard output. The plugin inside that dbt has HODOR_MODE=off: it neither decides nor records.
package dbt
