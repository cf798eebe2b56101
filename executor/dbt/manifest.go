package dbt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Node is what selection and results need of one resource in dbt's manifest.
type Node struct {
	ID      string
	Name    string
	Type    string // resource_type
	Package string
	FQN     []string
	// File is original_file_path: below the root of the node's own package.
	File string
	// Patch is the property file, below the root of its package, "" for none.
	Patch     string
	Versioned bool
	// Parents are depends_on.nodes.
	Parents []string
}

// Manifest is what selection and results need of dbt's manifest.
type Manifest struct {
	InvocationID string
	Project      string // the root package
	DBTVersion   string
	Nodes        map[string]*Node
	order        []string // ids, sorted

	index *index
}

// entry is a resource as it stands in the file.
type entry struct {
	Name      string          `json:"name"`
	Type      string          `json:"resource_type"`
	Package   string          `json:"package_name"`
	FQN       []string        `json:"fqn"`
	File      string          `json:"original_file_path"`
	Patch     *string         `json:"patch_path"`
	Version   json.RawMessage `json:"version"`
	DependsOn struct {
		Nodes []string `json:"nodes"`
	} `json:"depends_on"`
	Config struct {
		Enabled *bool `json:"enabled"`
	} `json:"config"`
}

// ReadManifest reads a manifest.json. Disabled resources are left out.
func ReadManifest(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := readManifest(f)
	if err != nil {
		return nil, fmt.Errorf("%s can't be read as a dbt manifest: %w", path, err)
	}
	return m, nil
}

// readManifest streams: an entry is kept as its few fields, never whole.
func readManifest(r io.Reader) (*Manifest, error) {
	m := &Manifest{Nodes: map[string]*Node{}}
	d := json.NewDecoder(r)
	if err := expect(d, '{'); err != nil {
		return nil, err
	}
	seen := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch key {
		case "metadata":
			var meta struct {
				InvocationID string `json:"invocation_id"`
				Project      string `json:"project_name"`
				DBTVersion   string `json:"dbt_version"`
			}
			if err := d.Decode(&meta); err != nil {
				return nil, err
			}
			m.InvocationID, m.Project, m.DBTVersion, seen = meta.InvocationID, meta.Project, meta.DBTVersion, true
		case "nodes", "sources", "exposures", "metrics", "unit_tests", "semantic_models", "saved_queries", "functions":
			if err := m.section(d); err != nil {
				return nil, err
			}
		default:
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return nil, err
			}
		}
	}
	if err := expect(d, '}'); err != nil {
		return nil, err
	}
	if !seen {
		return nil, errors.New("it has no metadata")
	}
	for id := range m.Nodes {
		m.order = append(m.order, id)
	}
	slices.Sort(m.order)
	return m, nil
}

func (m *Manifest) section(d *json.Decoder) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.More() {
		id, err := d.Token()
		if err != nil {
			return err
		}
		var e entry
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("%v: %w", id, err)
		}
		if e.Config.Enabled != nil && !*e.Config.Enabled {
			continue
		}
		n := &Node{
			ID: id.(string), Name: e.Name, Type: e.Type, Package: e.Package, FQN: e.FQN, File: strings.ReplaceAll(e.File, `\`, "/"),
			Parents: e.DependsOn.Nodes,
		}
		// Only models have versions that selection knows.
		n.Versioned = n.Type == "model" && len(e.Version) > 0 && string(e.Version) != "null"
		if e.Patch != nil {
			if _, below, ok := strings.Cut(*e.Patch, "://"); ok {
				n.Patch = strings.ReplaceAll(below, `\`, "/")
			}
		}
		m.Nodes[n.ID] = n
	}
	return expect(d, '}')
}

func expect(d *json.Decoder, want json.Delim) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("found %v where %v is expected", t, want)
	}
	return nil
}

// Checks returns the ids of the tests and unit tests that cover a node or source, sorted.
func (m *Manifest) Checks(id string) []string { return m.indexed().checks[id] }

// isCheck tells whether a resource type is that of a check.
func isCheck(resourceType string) bool { return resourceType == "test" || resourceType == "unit_test" }
