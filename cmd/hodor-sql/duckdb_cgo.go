//go:build cgo

package main

const hasDuckDB = true
