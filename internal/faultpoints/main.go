package main

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed points.csv
var table string

// point is a place in the service: before or after a line, which stands exactly once in a file, or in the place of it (whole). failure is what
// the code does there with an error err.
type point struct{ name, file, where, line, failure string }

// points reads points.csv.
func points() ([]point, error) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []point
	for _, r := range rows[1:] {
		out = append(out, point{r[0], r[1], r[2], r[3], r[4]})
	}
	return out, nil
}

// edit puts the point into its file's text.
func (p point) edit(text string) (string, error) {
	if n := strings.Count(text, p.line); n != 1 {
		return "", fmt.Errorf("%s: the line is there %d times in %s:\n%s", p.name, n, p.file, p.line)
	}
	call := fmt.Sprintf("	if err := fault.At(%q); err != nil {\n		%s\n	}", p.name, p.failure)
	switch p.where {
	case "before":
		call += "\n" + p.line
	case "after":
		call = p.line + "\n" + call
	case "whole":
		call = p.failure
	default:
		return "", fmt.Errorf("%s: %q is neither before nor after nor whole", p.name, p.where)
	}
	return strings.Replace(text, p.line, call, 1), nil
}

// edited returns the edited texts by file, relative to root.
func edited(root string, list []point) (map[string]string, error) {
	texts := map[string]string{}
	for _, p := range list {
		text, ok := texts[p.file]
		if !ok {
			raw, err := os.ReadFile(filepath.Join(root, p.file))
			if err != nil {
				return nil, err
			}
			text = strings.Replace(string(raw), "import (\n", "import (\n	\"hodor/internal/faultpoints/fault\"\n", 1)
		}
		text, err := p.edit(text)
		if err != nil {
			return nil, err
		}
		texts[p.file] = text
	}
	return texts, nil
}

// build compiles hodor-sql with all points into out.
func build(root, out string) error {
	list, err := points()
	if err != nil {
		return err
	}
	texts, err := edited(root, list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "faultpoints")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	replaced := map[string]string{}
	for file, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%d.go", len(replaced)))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
		replaced[filepath.Join(root, file)] = path
	}
	raw, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-overlay", overlay, "-o", out, "./cmd/hodor-sql")
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stderr, os.Stderr
	return cmd.Run()
}

func main() {
	out := flag.String("o", "", "the binary to write")
	flag.Parse()
	log.SetFlags(0)
	if *out == "" {
		log.Fatal("faultpoints: -o names the binary to write")
	}
	target, err := filepath.Abs(*out)
	if err != nil {
		log.Fatal(err)
	}
	root, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	if err := build(root, target); err != nil {
		log.Fatalf("faultpoints: %v", err)
	}
}
