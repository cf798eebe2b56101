package main

import (
	"fmt"
	"os"
	"path/filepath"

	"hodor/corpus/generated"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "gen-corpus: the folder of the corpus is needed")
		os.Exit(2)
	}
	for name, sql := range generated.Files() {
		path := filepath.Join(os.Args[1], filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(sql), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gen-corpus:", err)
			os.Exit(1)
		}
	}
}
