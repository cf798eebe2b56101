// Package warehousetest holds hosts for tests: what stands in for the plugin at the other end of the relay.
package warehousetest
