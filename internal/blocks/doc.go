// Package blocks has memory for values that are all given back at once: what one text needs serves the next one.
package blocks
