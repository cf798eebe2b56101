package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// step is one line of a transcript; docs/protocol.md says what each key means.
type step struct {
	About         string
	Host, Service json.RawMessage
	HostRaw       string `json:"host_raw"`
	ServiceRaw    string `json:"service_raw"`
	ServiceStderr string `json:"service_stderr"`
	ServiceExit   *int   `json:"service_exit"`
	HostEOF       bool   `json:"host_eof"`
}

func readTranscript(t *testing.T, path string) []step {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for line := range bytes.Lines(raw) {
		var s step
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil {
			t.Fatalf("%s: %v in %s", path, err, line)
		}
		steps = append(steps, s)
	}
	return steps
}

// TestTranscripts plays the host's side of every transcript into a connection whose handlers answer what the transcript says, and whose calls
// are those of the transcript: the frames, ids and errors in both directions are this package's own. What only a broken or dying service says
// (service_raw, service_stderr) is for the host's tests.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	replayed := 0
	for _, path := range files {
		steps := readTranscript(t, path)
		foreign := false
		for _, s := range steps {
			foreign = foreign || s.ServiceRaw != "" || s.ServiceStderr != ""
		}
		if foreign {
			continue
		}
		replayed++
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl"), func(t *testing.T) { replay(t, steps) })
	}
	if replayed < 5 {
		t.Errorf("only %d transcripts could be replayed", replayed)
	}
}

type outcome struct {
	result any
	err    error
}

func replay(t *testing.T, steps []step) {
	answers := map[string]chan outcome{} // by the host's id
	asked := make(chan chan outcome)     // one for each request that reaches its handler
	methods := map[string]Method{}
	for _, name := range Methods {
		methods[name] = Method{Handle: func(context.Context, json.RawMessage) (any, error) {
			wait := make(chan outcome)
			asked <- wait
			o := <-wait
			return o.result, o.err
		}}
	}
	h := start(t, methods, Options{})
	calls := map[string]chan outcome{} // of the service, by its id

	for i, s := range steps {
		at := fmt.Sprintf("line %d", i+1)
		switch {
		case s.HostRaw != "":
			h.write(strings.TrimSuffix(s.HostRaw, "\n"))
		case s.Host != nil:
			var m message
			if err := json.Unmarshal(s.Host, &m); err != nil {
				t.Fatal(at, err)
			}
			h.write(string(s.Host))
			if m.Method == "" {
				o := <-calls[string(m.ID)]
				var e *Error
				if o.err != nil {
					e = o.err.(*Error)
				}
				if m.Error == nil && (e != nil || !sameJSON(t, m.Result, o.result.(json.RawMessage))) || m.Error != nil && !reflect.DeepEqual(m.Error, e) {
					t.Fatalf("%s: the call got %s, %v", at, o.result, o.err)
				}
			} else if _, ok := methods[m.Method]; ok {
				answers[string(m.ID)] = <-asked
			}
		case s.Service != nil:
			var m message
			if err := json.Unmarshal(s.Service, &m); err != nil {
				t.Fatal(at, err)
			}
			switch {
			case m.Method != "" && m.ID == nil:
				if err := h.conn.Notify(m.Method, m.Params); err != nil {
					t.Fatal(at, err)
				}
			case m.Method != "":
				done := make(chan outcome, 1)
				calls[string(m.ID)] = done
				go func() {
					var raw json.RawMessage
					err := h.conn.Call(context.Background(), m.Method, m.Params, &raw)
					done <- outcome{raw, err}
				}()
			case answers[string(m.ID)] != nil && m.Error != nil:
				answers[string(m.ID)] <- outcome{err: m.Error}
			case answers[string(m.ID)] != nil:
				answers[string(m.ID)] <- outcome{result: m.Result}
			}
			got := []byte(h.read())
			want := s.Service
			if m.Error != nil && m.Error.Message == "*" {
				var g message
				if err := json.Unmarshal(got, &g); err != nil || g.Error == nil {
					t.Fatalf("%s: got %s", at, got)
				}
				m.Error.Message = g.Error.Message
				if m.ID == nil {
					m.ID = null
				}
				want, _ = json.Marshal(m)
			}
			if !sameJSON(t, want, got) {
				t.Fatalf("%s:\ngot  %s\nwant %s", at, got, want)
			}
		case s.HostEOF:
			h.in.Close()
		case s.ServiceExit != nil:
			if err := <-h.done; (err == nil) != (*s.ServiceExit == 0) {
				t.Fatalf("%s: Serve: %v", at, err)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
