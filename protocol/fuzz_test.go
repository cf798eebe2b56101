package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
	"testing"
)

// FuzzConn feeds any bytes to a connection: whatever comes in, what goes out is JSON-RPC, every request is answered exactly once, and the end of
// the input ends the connection.
func FuzzConn(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"quick"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"panic"}` + "\r\n" + `{"jsonrpc":"2.0","id":"x","method":"nothing"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":-7,"error":{"code":1,"message":""}}` + "\n",
		`{"jsonrpc":"2.0","id":3,"method":"echo","params":` + strings.Repeat("[", 5000) + "\n",
		`{"jsonrpc":"2.0","id":3,"method":"echo","params":"` + strings.Repeat("x", 5000) + `"}` + "\n" + `{"jsonrpc":"2.0","id":4,"method":"odd"}` + "\n",
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}` + "\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}",
		"\n\n \x00\xff\xfe\n{\n}\n[]\nnull\n{\"id\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"note\"}\n",
		`{"jsonrpc":"2.0","id":1e400,"method":"echo"}` + "\n" + `{"jsonrpc":"2.0","ID":5,"Method":"echo","method":"fail"}` + "\n",
		`{"jsonrpc":"2.0","id":"` + "\xed\xa0\x80" + `","method":"echo","params":"` + "\u2028" + `"}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		const maxLine = 4096
		var out, logged bytes.Buffer
		c := New(bytes.NewReader(input), &out, testMethods(), Options{MaxLine: maxLine, Running: 2, Log: log.New(&logged, "", 0)})
		if err := c.Serve(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{} // answers by id
		lines := 0
		for _, line := range bytes.Split(input, []byte("\n")) {
			if line = bytes.TrimSuffix(line, []byte("\r")); len(line) == 0 {
				continue
			}
			lines++
			var m message
			if len(line) < maxLine && json.Unmarshal(line, &m) == nil && m.kind() == request {
				want[canonical(t, m.ID)]++
			}
		}
		got, answers := map[string]int{}, 0
		for _, line := range bytes.SplitAfter(out.Bytes(), []byte("\n")) {
			if len(line) == 0 {
				continue
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" || m.Method != "" || (m.Result == nil) == (m.Error == nil) || len(m.ID) == 0 {
				t.Fatalf("it wrote %q: %v", line, err)
			}
			if line[len(line)-1] != '\n' {
				t.Fatalf("a line without an end: %q", line)
			}
			answers++
			got[canonical(t, m.ID)]++
		}
		if answers > lines {
			t.Errorf("%d answers to %d lines", answers, lines)
		}
		for id, n := range want {
			if got[id] < n {
				t.Errorf("%d requests with the id %s, %d answers:\n%q\n%q", n, id, got[id], input, out.Bytes())
			}
		}
	})
}

// canonical is an id as encoding/json writes it.
func canonical(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("id %q: %v", raw, err)
	}
	return b.String()
}

// FuzzAnswers lets the other side answer our calls as it likes: each call ends exactly once, and never with the answer to another.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{"0123", "3210", "0011", "e0h1g2n3", "h", "", "xxxx0", "l0l1", "f0f1f2", "0 1 2 3 0 1 2 3 g"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		const calls = 4
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		c := New(inR, outW, nil, Options{MaxLine: 4096, Log: log.New(io.Discard, "", 0)})
		served := make(chan error, 1)
		go func() { served <- c.Serve(context.Background()) }()

		var wg sync.WaitGroup
		results, errs := make([]int, calls), make([]error, calls)
		for i := range calls {
			wg.Go(func() { errs[i] = c.Call(context.Background(), "ask", i, &results[i]) })
		}
		ids := make([]string, calls) // by what was asked
		dec := json.NewDecoder(outR)
		for range calls {
			var m message
			var asked int
			if err := dec.Decode(&m); err != nil || json.Unmarshal(m.Params, &asked) != nil {
				t.Fatalf("%+v: %v", m, err)
			}
			ids[asked] = string(m.ID)
		}
		go func() { _, _ = io.Copy(io.Discard, outR) }()
		answered := map[int]bool{}
		for i := 0; i < len(script); i++ {
			op, which := script[i], 0
			if i+1 < len(script) {
				which = int(script[i+1]) % calls
			}
			line := ""
			switch {
			case op >= '0' && op < '0'+calls:
				which = int(op - '0')
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%d}`, ids[which], 1000+which)
				answered[which] = true
			case op == 'e':
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"no %d"}}`, ids[which], which)
				answered[which] = true
			case op == 'h': // half a line, glued to the next
				if _, err := io.WriteString(inW, `{"jsonrpc":"2.0","id":`); err != nil {
					t.Fatal(err)
				}
				continue
			case op == 'l':
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`, ids[which], strings.Repeat("y", 5000))
				answered[which] = true
			case op == 'f':
				line = fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","result":{}}`, ids[which])
			default:
				line = string(script[i:])
				if strings.Contains(line, `"id"`) {
					line = "{"
				}
				i = len(script)
			}
			if _, err := io.WriteString(inW, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		inW.Close()
		wg.Wait()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		for i, err := range errs {
			var e *Error
			switch {
			case err == nil && results[i] != 1000+i:
				t.Errorf("call %d has the result %d", i, results[i])
			case err == nil && !answered[i]:
				t.Errorf("call %d has an answer that nobody gave", i)
			case errors.As(err, &e) && e.Code == -32001 && e.Message != fmt.Sprintf("no %d", i):
				t.Errorf("call %d has the error of another: %v", i, e)
			}
		}
	})
}
