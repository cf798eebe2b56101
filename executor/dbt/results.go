package dbt

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

// result is one entry of run_results.json.
type result struct {
	ID       string  `json:"unique_id"`
	Status   string  `json:"status"`
	Message  *string `json:"message"`
	Failures *int64  `json:"failures"`
	Seconds  float64 `json:"execution_time"`
	Timing   []struct {
		Name      string     `json:"name"`
		Started   *time.Time `json:"started_at"`
		Completed *time.Time `json:"completed_at"`
	} `json:"timing"`
}

// times returns when the node was executed; zero if dbt did not say. The start is that of its compilation: from there on it may have read.
func (r *result) times() (started, finished time.Time) {
	for _, t := range r.Timing {
		if t.Started != nil && (started.IsZero() || t.Started.Before(started)) {
			started = *t.Started
		}
		if t.Name == "execute" && t.Completed != nil {
			finished = *t.Completed
		}
	}
	if started.IsZero() || finished.IsZero() {
		return time.Time{}, time.Time{}
	}
	return started, finished
}

// results is run_results.json, versions 4 to 6.
type results struct {
	Metadata struct {
		Schema       string    `json:"dbt_schema_version"`
		InvocationID string    `json:"invocation_id"`
		GeneratedAt  time.Time `json:"generated_at"`
	} `json:"metadata"`
	Results []result `json:"results"`
}

var runResultsVersion = regexp.MustCompile(`/run-results/v(\d+)\.json$`)

func readResults(path string) (*results, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r results
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("%s is no valid JSON: %w", path, err)
	}
	m := runResultsVersion.FindStringSubmatch(r.Metadata.Schema)
	if m == nil {
		return nil, fmt.Errorf("%s has the schema %q; run results are needed", path, r.Metadata.Schema)
	}
	if v, _ := strconv.Atoi(m[1]); v < 4 || v > 6 {
		return nil, fmt.Errorf("%s has version %d; versions 4 to 6 are known", path, v)
	}
	if r.Metadata.InvocationID == "" {
		return nil, fmt.Errorf("%s does not say of which invocation it is", path)
	}
	return &r, nil
}

// invocationOf returns the invocation that wrote an artifact, "" if that can't be told.
func invocationOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	d := json.NewDecoder(f)
	if expect(d, '{') != nil {
		return ""
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return ""
		}
		if key != "metadata" {
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return ""
			}
			continue
		}
		var meta struct {
			InvocationID string `json:"invocation_id"`
		}
		if d.Decode(&meta) != nil {
			return ""
		}
		return meta.InvocationID
	}
	return ""
}
