// Command listen runs a command that finds a Databricks workspace: a proxy in front of the Thrift Server of the Spark of the tests, whose address
// is in SPARKTEST_ADDRESS (internal/sparktest/server.py). The command gets DATABRICKS_HOST, DATABRICKS_HTTP_PATH and DATABRICKS_TOKEN, and its
// status is listen's.
package main
