// Command gen-functions writes functions_gen.go from functions.csv. It runs in the folder of package normalize: make gen.
package main
