// Package thriftproxy lets the drivers of Databricks talk to the Thrift Server of open-source Spark, for tests. It is an HTTP server on loopback
// that passes Thrift calls on and puts in what the two sides expect of each other: the drivers write fields that Spark does not know, and miss
// fields that only Databricks sends (measured on databricks-sql-go 1.14 and databricks-sql-connector 4.4 against Spark 4.2).
//
//	call                   what is changed
//	every request          Basic authentication in place of the driver's Bearer token
//	OpenSession            asks for client protocol 9; without it Spark answers rows, of which the Go driver reads none
//	OpenSession's answer   server protocol V4 of Databricks (V5 would promise Arrow), several catalogs
//	ExecuteStatement       the catalog hive_metastore is called spark_catalog, literals left alone
//	GetResultSetMetadata   the format of results, columns
//	FetchResults           the metadata of its operation
//	GetOperationStatus     the error's text where the drivers look for it
//
// It keeps a list of all requests that reach it, Thrift or not, and answers 404 to what is no Thrift: a test can show what a driver asks for.
// Tests make it fail, stall or change answers with Proxy.Intercept.
package thriftproxy
