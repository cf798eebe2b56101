// Package bench measures what users wait for. Nothing in it asserts a time; README.md says how to run it and what it said last.
package bench
