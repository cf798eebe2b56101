package state

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"hodor/project"
)

// measurement is one result of sources.json, versions 2 and 3.
type measurement struct {
	UniqueID    string  `json:"unique_id"`
	Status      string  `json:"status"`
	MaxLoadedAt *string `json:"max_loaded_at"`
}

var sourcesVersion = regexp.MustCompile(`/sources/v(\d+)\.json$`)

// readMeasurements reads a sources.json.
func readMeasurements(path string) (map[string]measurement, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f struct {
		Metadata struct {
			Schema string `json:"dbt_schema_version"`
		} `json:"metadata"`
		Results []measurement `json:"results"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("%s is no valid JSON: %w", path, err)
	}
	m := sourcesVersion.FindStringSubmatch(f.Metadata.Schema)
	if m == nil {
		return nil, fmt.Errorf("%s has the schema %q; the measurements of dbt source freshness are needed", path, f.Metadata.Schema)
	}
	if v, _ := strconv.Atoi(m[1]); v != 2 && v != 3 {
		return nil, fmt.Errorf("%s has version %d; versions 2 and 3 are known", path, v)
	}
	out := map[string]measurement{}
	for _, r := range f.Results {
		out[r.UniqueID] = r
	}
	return out, nil
}

// sourceFacts says for each source what its measurement makes of its version. It can only turn known into unknown, except that with trust a source
// without a version of its own takes the time of its last load. measured nil: a measurement was asked for and there is none, so nothing is known of any
// source.
func sourceFacts(p *project.Project, asks map[string]bool, measured map[string]measurement, trust bool) map[string]sourceFact {
	facts := map[string]sourceFact{}
	for id, n := range p.Nodes {
		if n.Resource != project.Source || n.Relation.IsZero() {
			continue
		}
		m, found := measured[id]
		f := sourceFact{}
		switch {
		case measured == nil:
			f.unknown = true
		case !found:
			f.unknown = asks[id] // it should have been measured
		case m.Status != "pass":
			f.unknown = true // stale, or the measurement failed
		case trust && m.MaxLoadedAt != nil:
			f.loadedAt = *m.MaxLoadedAt
		}
		key := n.Relation.Key()
		if old, twice := facts[key]; twice {
			f.unknown = f.unknown || old.unknown
			if f.loadedAt != old.loadedAt {
				f.loadedAt = ""
			}
		}
		facts[key] = f
	}
	// A relation that the project builds is no foreign source, whatever a source says of it.
	for key, f := range facts {
		for _, n := range p.At(key) {
			if n.Resource != project.Source {
				f.loadedAt = ""
				facts[key] = f
			}
		}
	}
	return facts
}
