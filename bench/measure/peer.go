package measure

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"hodor/bench/parse/texts"
	"hodor/grammar"
)

// Result is what one measurement prints, as one line of JSON.
type Result struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Bytes   int     `json:"bytes"`  // text read, over all passes
	CPU     float64 `json:"cpu"`    // seconds of processor time, all threads
	Wall    float64 `json:"wall"`   // seconds
	Texts   int     `json:"texts"`  // texts read
	Failed  int     `json:"failed"` // texts refused
	Partly  []int   `json:"partly"` // numbers of the texts that the peer has not taken through all of its steps
	Peak    int     `json:"peak"`   // bytes of resident memory at most, less what was there before the first text
	Allocs  uint64  `json:"allocs"` // hodor only
	Heap    uint64  `json:"heap"`   // hodor only: bytes allocated
	Quiet   float64 `json:"quiet"`  // hodor only: seconds of one pass with the best time of each text
}

// Rate is MB of text for each second of processor time.
func (r Result) Rate() float64 { return float64(r.Bytes) / 1e6 / r.CPU }

// Peer is one program on the texts: a command that takes a file of texts and a dialect behind its arguments, and prints a Result.
type Peer struct {
	Name    string
	Command []string
	// Only, if set, is the one dialect that the peer reads.
	Only grammar.Dialect
}

// Passes is how often each peer is measured; the best counts.
const Passes = 3

// Own is a worker of this very program, with flags of its own.
func Own(flags ...string) (Peer, error) {
	self, err := os.Executable()
	return Peer{Name: "hodor", Command: append(append([]string{self}, flags...), "-worker")}, err
}

// Run measures the peer once on one file of texts.
func (p Peer) Run(path string, d grammar.Dialect) (r Result, err error) {
	cmd := exec.Command(p.Command[0], append(p.Command[1:len(p.Command):len(p.Command)], path, d.String())...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", p.Name, err)
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("%s printed %.100q: %w", p.Name, out, err)
	}
	return r, nil
}

// Best measures each peer on one file, a pass of all peers after the other, and returns the best result of each; the zero Result for a peer that
// does not read the dialect.
func Best(peers []Peer, path string, d grammar.Dialect) ([]Result, error) {
	best := make([]Result, len(peers))
	for range Passes {
		for i, p := range peers {
			if p.Only != 0 && p.Only != d {
				continue
			}
			r, err := p.Run(path, d)
			if err != nil {
				return nil, err
			}
			if best[i].CPU == 0 || r.Rate() > best[i].Rate() {
				best[i] = r
			}
		}
	}
	return best, nil
}

// Write stores texts with a NUL behind each, which no SQL has.
func Write(path string, list []texts.Text) error {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.SQL)
		b.WriteByte(0)
	}
	return os.WriteFile(path, []byte(b.String()), 0o600)
}

// Read returns the texts of a file.
func Read(path string) ([]string, error) {
	raw, err := os.ReadFile(path)
	return strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00"), err
}

// Resident is a field of this process's memory status, VmRSS or VmHWM, in bytes; 0 where the system has none.
func Resident(field string) (n int) {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			_, _ = fmt.Sscan(rest, &n)
		}
	}
	return n * 1024
}
