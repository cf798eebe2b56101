// Command faultpoints builds a hodor-sql with a fault point at each place that points.csv lists, for the tests that break the service there:
//
//	go run ./internal/faultpoints -o /tmp/hodor-sql
//	FAULT_AT=store.commit FAULT=kill FAULT_REACHED=/tmp/reached HODOR_BINARY=/tmp/hodor-sql dbt build
//
// The sources know nothing of it: the edited files exist for that one build (`go build -overlay`). Package fault says what a point does.
package main
