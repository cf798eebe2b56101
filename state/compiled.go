package state

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// compiled is what of the manifest only a plan needs: the SQL of each node, its `state` settings as dbt left them, and how fresh a source must be.
type compiled struct {
	// sql holds the compiled text of the nodes that were compiled.
	sql map[string]string
	// state holds config.state as it stands.
	state map[string]json.RawMessage
	// freshness holds the sources whose freshness dbt measures.
	freshness map[string]bool
}

// readCompiled reads a manifest a second time, for the long texts that package project leaves out.
func readCompiled(path string) (*compiled, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &compiled{sql: map[string]string{}, state: map[string]json.RawMessage{}, freshness: map[string]bool{}}
	d := json.NewDecoder(f)
	if err := open(d); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if key != "nodes" && key != "sources" {
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				return nil, err
			}
			continue
		}
		if err := open(d); err != nil {
			return nil, err
		}
		for d.More() {
			id, err := d.Token()
			if err != nil {
				return nil, err
			}
			var e struct {
				Compiled bool    `json:"compiled"`
				SQL      *string `json:"compiled_code"`
				Config   struct {
					State     json.RawMessage `json:"state"`
					Freshness json.RawMessage `json:"freshness"`
				} `json:"config"`
				Freshness json.RawMessage `json:"freshness"`
			}
			if err := d.Decode(&e); err != nil {
				return nil, fmt.Errorf("%v: %w", id, err)
			}
			name := id.(string)
			if e.Compiled && e.SQL != nil {
				c.sql[name] = *e.SQL
			}
			if len(e.Config.State) > 0 && !bytes.Equal(e.Config.State, []byte("null")) {
				c.state[name] = e.Config.State
			}
			if key == "sources" && (asksFreshness(e.Freshness) || asksFreshness(e.Config.Freshness)) {
				c.freshness[name] = true
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func open(d *json.Decoder) error {
	t, err := d.Token()
	if err == nil && t != json.Delim('{') {
		err = fmt.Errorf("found %v where an object is expected", t)
	}
	return err
}

// asksFreshness tells whether a source's freshness block names a limit: dbt measures only those.
func asksFreshness(raw json.RawMessage) bool {
	var f struct {
		Warn  limit `json:"warn_after"`
		Error limit `json:"error_after"`
	}
	return json.Unmarshal(raw, &f) == nil && (f.Warn.Count != nil || f.Error.Count != nil)
}

type limit struct {
	Count *float64 `json:"count"`
}

// sameJSON tells whether two JSON texts are the same value; absent and null are one.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return false
	}
	p, err1 := json.Marshal(x)
	q, err2 := json.Marshal(y)
	return err1 == nil && err2 == nil && bytes.Equal(p, q)
}
