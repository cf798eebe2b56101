// Package aheadtest is the host's side of decisions said ahead (docs/protocol.md), as the plugin keeps it, for tests that stand in for dbt.
package aheadtest
