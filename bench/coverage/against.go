package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"hodor/internal/usage"
	"hodor/normalize"
)

// Against compares with another hodor-sql on the same texts, in the same run. Both are run as `normalize --jsonl`, in turn, and the best of Rounds counts;
// so start and JSON are in both. A ratio above 1 means that the other one needs more.
type Against struct {
	Program   string   `json:"program"`
	CPURatio  float64  `json:"cpu_ratio"`
	PeakRatio float64  `json:"peak_ratio"`  // 0 where the system does not say
	OtherHash int      `json:"other_hash"`  // texts with another code hash
	OtherFact int      `json:"other_facts"` // texts with other facts
	Better    []Change `json:"better"`      // texts at a better level here
	Worse     []Change `json:"worse"`
}

// Change is a text whose level was another one.
type Change struct {
	Name string `json:"name"`
	Then string `json:"then"`
	Now  string `json:"now"`
}

// Rounds is how often each program is run on the texts.
const Rounds = 3

// line is one answer of `normalize --jsonl`.
type line struct {
	Level    string          `json:"level"`
	CodeHash string          `json:"code_hash"`
	Facts    normalize.Facts `json:"facts"`
}

// Compare runs self and other on the texts. The error says what of the other program did not work.
func Compare(self, other string, texts []Text, dialect string) (*Against, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	enc.SetEscapeHTML(false)
	for _, t := range texts {
		if err := enc.Encode(map[string]string{"id": t.Name, "sql": t.SQL}); err != nil {
			return nil, err
		}
	}
	a := &Against{Program: other, Better: []Change{}, Worse: []Change{}}
	var here, there cost
	var ours, theirs []line
	for range Rounds {
		for _, p := range []struct {
			program string
			cost    *cost
			lines   *[]line
		}{{self, &here, &ours}, {other, &there, &theirs}} {
			lines, c, err := answers(p.program, in.Bytes(), dialect)
			if err != nil {
				return nil, err
			}
			if len(lines) != len(texts) {
				return nil, fmt.Errorf("%s answered %d of %d texts", p.program, len(lines), len(texts))
			}
			*p.lines = lines
			if p.cost.cpu == 0 || c.cpu < p.cost.cpu {
				p.cost.cpu = c.cpu
			}
			if p.cost.peak == 0 || c.peak < p.cost.peak {
				p.cost.peak = c.peak
			}
		}
	}
	for i, t := range texts {
		a.Better, a.Worse = change(a.Better, a.Worse, t.Name, theirs[i].Level, ours[i].Level)
		if ours[i].CodeHash != theirs[i].CodeHash {
			a.OtherHash++
		}
		if mine, other := string(factsText(ours[i])), string(factsText(theirs[i])); mine != other {
			a.OtherFact++
		}
	}
	a.CPURatio, a.PeakRatio = ratio(there.cpu.Seconds(), here.cpu.Seconds()), ratio(float64(there.peak), float64(here.peak))
	return a, nil
}

func factsText(l line) []byte {
	raw, err := json.Marshal(l.Facts)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return raw
}

// cost is what one run of a program took.
type cost struct {
	cpu  time.Duration
	peak int
}

// answers runs a program on the lines.
func answers(program string, in []byte, dialect string) (lines []line, c cost, err error) {
	cmd := exec.Command(program, "normalize", "--jsonl", "--dialect", dialect)
	cmd.Stdin = bytes.NewReader(in)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(words.String()), "\n")
		return nil, c, fmt.Errorf("%s normalize --jsonl: %v %s", program, err, said)
	}
	c = cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), usage.PeakOf(cmd.ProcessState)}
	for dec := json.NewDecoder(&out); ; {
		var l line
		if err := dec.Decode(&l); err == io.EOF {
			return lines, c, nil
		} else if err != nil {
			return nil, c, fmt.Errorf("%s normalize --jsonl printed no JSON: %v", program, err)
		}
		lines = append(lines, l)
	}
}

// BaselineDiff compares with a saved report. Its rate was measured at another time, so that ratio is a hint only.
type BaselineDiff struct {
	File        string   `json:"file"`
	HashVersion string   `json:"hash_version"`
	RateRatio   float64  `json:"rate_ratio"` // present rate over the saved one
	OtherHash   int      `json:"other_hash"`
	Better      []Change `json:"better"`
	Worse       []Change `json:"worse"`
	New         []string `json:"new"`  // texts that the saved report does not have
	Gone        []string `json:"gone"` // texts that only the saved report has
}

// Load reads a report as `hodor-sql bench --json` prints it.
func Load(path string) (r Report, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.SchemaVersion != SchemaVersion || r.Files == nil {
		return r, fmt.Errorf("%s is no report of bench --json with schema_version %d", path, SchemaVersion)
	}
	return r, nil
}

// Diff holds r against a saved report.
func (r Report) Diff(path string, saved Report) *BaselineDiff {
	d := &BaselineDiff{
		File: path, HashVersion: saved.HashVersion, RateRatio: ratio(r.Speed.MBPerSecond, saved.Speed.MBPerSecond),
		Better: []Change{}, Worse: []Change{}, New: []string{}, Gone: []string{},
	}
	then := map[string]File{}
	for _, f := range saved.Files {
		then[f.Name] = f
	}
	for _, f := range r.Files {
		old, ok := then[f.Name]
		if !ok {
			d.New = append(d.New, f.Name)
			continue
		}
		delete(then, f.Name)
		d.Better, d.Worse = change(d.Better, d.Worse, f.Name, old.Level, f.Level)
		if old.CodeHash != f.CodeHash {
			d.OtherHash++
		}
	}
	for _, f := range saved.Files {
		if _, left := then[f.Name]; left {
			d.Gone = append(d.Gone, f.Name)
		}
	}
	return d
}

// change adds a text to those at a better or at a worse level, if it is one. What is no level at all counts as the worst.
func change(better, worse []Change, name, then, now string) ([]Change, []Change) {
	switch place := func(level string) int {
		for i, l := range Levels {
			if l == level {
				return i
			}
		}
		return len(Levels)
	}; {
	case place(now) < place(then):
		better = append(better, Change{name, then, now})
	case place(now) > place(then):
		worse = append(worse, Change{name, then, now})
	}
	return better, worse
}
