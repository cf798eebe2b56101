// Package enginetest holds the one rule for tests that need something beside Go: a database server, Spark, a Python
// environment. Where it is missing such a test is skipped, so that a laptop needs none of them; with HODOR_REQUIRE_ENGINES=1,
// which CI sets, it fails, so that nothing can be green for want of an engine.
package enginetest
