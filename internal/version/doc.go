// Package version holds the one version number of hodor. The Go binary embeds the file VERSION, and the Python wheel is
// built with the same file, so the two halves of an installation can compare themselves exactly.
package version
