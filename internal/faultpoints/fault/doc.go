// Package fault is what a fault point calls. It is no part of hodor-sql as it is shipped.
package fault
