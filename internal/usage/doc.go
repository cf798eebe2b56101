// Package usage asks the system what processes have used: processor time and memory.
package usage
