// Package executor is the contract between planning and building. A plan says which nodes must be built; an Executor builds exactly those, by
// whatever engine it stands for, and reports what became of each. Nothing here knows dbt: executor/dbt does, executor/fake is the reference
// without any engine, and executor/executortest holds every executor to the same meaning.
//
// # A run
//
// Prepare refreshes what the project's metadata says, so that a plan describes the code that would run; it builds nothing. Execute builds the
// requested nodes and returns a report. Call it through Run, which serves executors with and without live events alike.
//
// # What an error means
//
// A node that failed is a part of the report, not an error. An error means that the execution could not start, or that its outcome can't be
// read. Both are errors of this package (Error) with a code, so that a caller can tell a refusal, which ran nothing, from an unknown outcome,
// after which anything may have been built and nothing may be recorded.
//
// # What is never done
//
// A requested node that the engine did not report on is skipped, never a success. A check that did not run vouches for nothing.
package executor
