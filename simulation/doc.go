// Package simulation holds hodor against its first promise: never a wrong reuse.
//
// It has a model of its own of tables, views and builds, written from the promise and not from the code: a reused node's content equals what a
// rebuild would give now. Random histories drive the real project, lineage, normalize, versions, engine, session and a real store through that
// model: the manifests and the SQL are made here, and the warehouse's answers to the real statements come from the model's tables. Whenever a
// node is reused, the model builds it in a copy of its warehouse and compares.
//
// # What a history is
//
// A seed makes a small project (sources, seeds, models of every kind, snapshots, tests) on DuckDB or on Databricks, and a list of steps: edits and
// their reverts, renames, foreign writes, drops, restores, views changed from outside, settings, functions, policies, clock jumps, damaged and
// lost records, and runs: whole or in part, on, shadow or off, two threads, two at once, killed at any step, with a store or a warehouse that
// fails. Each history draws which kinds of steps and SQL it has at all, so that rare ones meet often. Every step is a number from which all its
// choices follow, so a failing history can be shortened by leaving steps out.
//
// # What may differ
//
// The model says what the settings allow: within lag_tolerance, with require_fresh_data_from: all, and with volatile values that the user has
// told not to count, a reuse must still be of the same code over an untouched target. A commit by someone else while a run is under way may wait
// for the next run. Everything else that differs is a wrong reuse.
//
// An engine that always builds would pass, so the share of reuses among those that the model can prove is asserted too.
package simulation
