package thriftproxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Request is one request that reached the proxy.
type Request struct {
	Method, URL string // of HTTP
	Call        string // the Thrift call: "ExecuteStatement"; empty if it is none
	SQL         string // of ExecuteStatement
	Token       string // what the driver sent as its bearer token
}

// Proxy stands between a driver and Spark's Thrift Server.
type Proxy struct {
	// URL is where it listens: "http://127.0.0.1:1234".
	URL string

	target  string
	rewrite rewriter

	mu        sync.Mutex
	requests  []Request
	intercept func(http.ResponseWriter, *http.Request, Request) bool
}

// Start starts a proxy in front of the Thrift Server at a port of loopback, and returns the function that ends it.
func Start(port int) (*Proxy, func()) {
	p := &Proxy{target: fmt.Sprintf("http://127.0.0.1:%d/cliservice", port), rewrite: rewriter{metadata: map[string][]byte{}}}
	server := httptest.NewServer(p)
	p.URL = server.URL
	return p, server.Close
}

// New starts a proxy that ends with the test.
func New(t testing.TB, port int) *Proxy {
	t.Helper()
	p, end := Start(port)
	t.Cleanup(end)
	return p
}

// Intercept sets a function that sees each request before Spark does. Where it returns true it has answered itself.
func (p *Proxy) Intercept(f func(http.ResponseWriter, *http.Request, Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.intercept = f
}

// Requests returns what came since the last call.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.requests
	p.requests = nil
	return list
}

// Statements returns the texts of the statements among the requests.
func Statements(list []Request) []string {
	var texts []string
	for _, r := range list {
		if r.Call == "ExecuteStatement" {
			texts = append(texts, r.SQL)
		}
	}
	return texts
}

// ServeHTTP passes a Thrift call on.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the driver has gone
	}
	seen := Request{Method: r.Method, URL: r.URL.String()}
	_, _ = fmt.Sscanf(r.Header.Get("Authorization"), "Bearer %s", &seen.Token)
	call, err := read(body)
	isThrift := err == nil && r.Method == http.MethodPost
	op := ""
	if isThrift {
		seen.Call = call.method
		seen.SQL, op = p.rewrite.call(&call)
	}
	p.mu.Lock()
	p.requests = append(p.requests, seen)
	intercept := p.intercept
	p.mu.Unlock()
	if intercept != nil && intercept(w, r, seen) {
		return
	}
	if !isThrift {
		http.NotFound(w, r)
		return
	}
	onward, err := http.NewRequestWithContext(r.Context(), http.MethodPost, p.target, bytes.NewReader(call.bytes()))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	onward.Header.Set("Content-Type", "application/x-thrift")
	onward.SetBasicAuth("hodor", "any")
	got, err := http.DefaultClient.Do(onward)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer got.Body.Close()
	back, err := io.ReadAll(got.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if answer, err := read(back); err == nil && answer.method == call.method {
		p.rewrite.answer(&answer, op)
		back = answer.bytes()
	}
	w.Header().Set("Content-Type", "application/x-thrift")
	w.WriteHeader(got.StatusCode)
	_, _ = w.Write(back)
}

// Calls counts the Thrift calls among the requests by name.
func Calls(list []Request) map[string]int {
	n := map[string]int{}
	for _, r := range list {
		n[r.Call]++
	}
	return n
}
