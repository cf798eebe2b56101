// Package terminal writes for people: colours, widths and tables, on a terminal, in a pipe or in a file.
package terminal
