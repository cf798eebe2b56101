// Command hodor-sql is the service behind the dbt plugin and the command line of hodor.
//
// The package is wiring only: each command turns its flags into a struct, calls the package that does the work and maps
// the outcome to an exit status: 0 done; 1 the answer is no; 2 bad usage; 3 an input could not be read or a store not be
// reached. Errors are one line on stderr.
//
// Called as ods (the wheel installs both names) it behaves the same.
package main
