package corpus

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Entry is one file of the corpus.
type Entry struct {
	File     string // relative to the folder, with slashes
	Dialects []string
	Kind     string // tpch, tpcds, model, test, statement, broken, generated
	Source   string // who wrote it, or what made it
	Licence  string
	// Level is the level of normalize that the text must have, in each of its dialects; Error, of a text that does not parse, where: LINE:COLUMN.
	Level, Error string
	SQL          string
}

var header = []string{"file", "dialects", "kind", "source", "licence", "expectation"}

// Load reads index.csv of a folder and the files that it lists.
func Load(folder string) ([]Entry, error) {
	path := filepath.Join(folder, "index.csv")
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("%s does not begin with %s", path, strings.Join(header, ","))
	}
	entries := make([]Entry, 0, len(rows)-1)
	for _, row := range rows[1:] {
		e := Entry{File: row[0], Dialects: strings.Fields(row[1]), Kind: row[2], Source: row[3], Licence: row[4]}
		e.Level, e.Error, _ = strings.Cut(row[5], " ")
		raw, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(e.File)))
		if err != nil {
			return nil, err
		}
		e.SQL = string(raw)
		entries = append(entries, e)
	}
	return entries, nil
}
