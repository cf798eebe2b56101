package coverage

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"time"

	"hodor/internal/usage"
	"hodor/normalize"
)

// SchemaVersion rises if a key of Report changes its meaning.
const SchemaVersion = 1

// Levels are the levels of normalize, the best first.
var Levels = []string{normalize.LevelQualified, normalize.LevelParsed, normalize.LevelText}

// Text is one SQL text under the name that reports give it.
type Text struct{ Name, SQL string }

// Report is what is known of a list of texts. Rates are of one day on one machine; only ratios within one run say something about two programs.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Dialect       string `json:"dialect"`
	HashVersion   string `json:"hash_version"`
	Total
	Levels   []Level       `json:"levels"`
	Opaque   []Count       `json:"opaque"`   // functions whose input nobody can trace, by the number of texts that call them
	Volatile []Count       `json:"volatile"` // calls with another answer on each run, likewise; those of what does not parse are not known
	Speed    Speed         `json:"speed"`
	Files    []File        `json:"files"`
	Against  *Against      `json:"against,omitempty"`
	Baseline *BaselineDiff `json:"baseline,omitempty"`
}

// Total counts all texts.
type Total struct {
	Texts int `json:"texts"`
	Bytes int `json:"bytes"`
}

// Level is how many texts reached a level; Share is of texts, 0 to 1.
type Level struct {
	Level string  `json:"level"`
	Texts int     `json:"texts"`
	Bytes int     `json:"bytes"`
	Share float64 `json:"share"`
}

// Count is in how many texts something stands.
type Count struct {
	Name  string `json:"name"`
	Texts int    `json:"texts"`
}

// File is one text. Error says why its level is not the best.
type File struct {
	Name     string           `json:"name"`
	Bytes    int              `json:"bytes"`
	Level    string           `json:"level"`
	CodeHash string           `json:"code_hash"`
	Opaque   int              `json:"opaque"`   // opaque inputs
	Volatile int              `json:"volatile"` // volatile calls
	Error    *normalize.Error `json:"error,omitempty"`
}

// Speed is what the analysis costs: processor time of all threads, the collector's included.
type Speed struct {
	CPUMS          float64 `json:"cpu_ms"` // of one pass over all texts
	MBPerSecond    float64 `json:"mb_per_second"`
	AllocatedBytes float64 `json:"allocated_bytes_per_byte"`
	Allocations    float64 `json:"allocations_per_kb"`
	PeakBytes      int     `json:"peak_bytes"` // of the process, as the system has it; 0 where it does not say
}

// Of analyses the texts. It goes over them again for about so much processor time, for the rates; step is called once for each text of the first pass.
func Of(texts []Text, options normalize.Options, least time.Duration, step func()) Report {
	r := Report{SchemaVersion: SchemaVersion, Dialect: options.Dialect, HashVersion: normalize.Version, Files: []File{}}
	opaque, volatile := map[string]int{}, map[string]int{}
	byLevel := map[string]*Level{}
	for _, name := range Levels {
		byLevel[name] = &Level{Level: name}
	}
	for _, t := range texts {
		n := normalize.Normalize(t.SQL, options)
		f := File{Name: t.Name, Bytes: len(t.SQL), Level: n.Level, CodeHash: n.CodeHash, Error: n.Error}
		if n.Level != normalize.LevelText {
			f.Opaque, f.Volatile = len(n.Facts.Opaque), len(n.Facts.Volatile)
			once := map[string]bool{}
			for _, name := range n.Facts.Opaque {
				count(opaque, once, name)
			}
			once = map[string]bool{}
			for _, v := range n.Facts.Volatile {
				count(volatile, once, v.Function)
			}
		}
		r.Files = append(r.Files, f)
		r.Texts++
		r.Bytes += f.Bytes
		byLevel[f.Level].Texts++
		byLevel[f.Level].Bytes += f.Bytes
		step()
	}
	for _, name := range Levels {
		l := *byLevel[name]
		l.Share = ratio(float64(l.Texts), float64(r.Texts))
		r.Levels = append(r.Levels, l)
	}
	r.Opaque, r.Volatile = sorted(opaque), sorted(volatile)
	r.Speed = speed(texts, options, least)
	return r
}

// count adds one text to a name, once a text.
func count(counts map[string]int, once map[string]bool, name string) {
	if !once[name] {
		once[name] = true
		counts[name]++
	}
}

func sorted(counts map[string]int) []Count {
	out := make([]Count, 0, len(counts))
	for name, n := range counts {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(cmp.Compare(b.Texts, a.Texts), cmp.Compare(a.Name, b.Name)) })
	return out
}

// ratio is a/b, rounded to four digits behind the point; 0 where there is no b.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return math.Round(a/b*1e4) / 1e4
}

// speed goes over the texts until the time is up, at least once.
func speed(texts []Text, options normalize.Options, least time.Duration) Speed {
	size := 0
	for _, t := range texts {
		size += len(t.SQL)
	}
	if size == 0 {
		return Speed{}
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, clock, passes := usage.CPU(), time.Now(), 0
	spent := time.Duration(0)
	for passes == 0 || spent < least && time.Since(clock) < 10*least {
		for _, t := range texts {
			normalize.Normalize(t.SQL, options)
		}
		passes++
		spent = usage.CPU() - start
	}
	runtime.ReadMemStats(&after)
	bytes := float64(size) * float64(passes)
	return Speed{
		CPUMS:          ratio(spent.Seconds()*1e3, float64(passes)),
		MBPerSecond:    ratio(bytes/1e6, spent.Seconds()),
		AllocatedBytes: ratio(float64(after.TotalAlloc-before.TotalAlloc), bytes),
		Allocations:    ratio(float64(after.Mallocs-before.Mallocs), bytes/1024),
		PeakBytes:      usage.Peak(),
	}
}
