// Package doctor checks an installation: the binary, dbt and its adapter, the settings and where each comes from, the store and what may be done with
// it. Each finding that is not well says what to do. It changes nothing and prints no secret: settings hold none, and messages of dbt and
// databases are scrubbed of the values of variables that look like one.
//
// What only dbt's process knows comes as Host, which `dbt-hodor doctor` gathers (plugin/src/dbt_hodor/cli.py).
package doctor
