// Package hodor is the root of the module. hodor ("Hold Old Data, Or Rebuild") decides, for every node of a dbt run,
// whether the existing table, view, seed, snapshot or test result can be reused or must be built.
//
// The packages and the way data flows between them are described in docs/architecture.md.
package hodor
