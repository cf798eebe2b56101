// Command listen runs a command that finds a Databricks workspace: a proxy in front of Spark's Thrift Server, whose port on loopback is in
// SPARKTEST_THRIFT (internal/sparktest/thrift.py). The command gets the proxy's address in HODOR_DATABRICKS_URL, and its status is listen's.
package main
