package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func csvHash(t *testing.T, text, delimiter string) string {
	t.Helper()
	h, err := hashCSV(strings.NewReader(text), delimiter)
	if err != nil || len(h) != 64 {
		t.Fatalf("%q hashes to %q, %v", text, h, err)
	}
	return h
}

// S23: line ends are one outside quoted fields, and only where every reader agrees that they are outside.
func TestSeedLineEnds(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, c := range []struct {
		what, a, b string
		same       bool
	}{
		{"plain", "a,b\n1,x\n", crlf("a,b\n1,x\n"), true},
		{"no end at the last line", "a,b\n1,x", crlf("a,b\n1,x"), true},
		{"the last end itself", "a,b\n1,x", "a,b\n1,x\n", false},
		{"quotes without line ends", "a,b\n\"1\",\"x,\"\"y\"\n", crlf("a,b\n\"1\",\"x,\"\"y\"\n"), true},
		{"an end inside quotes", "a,b\n1,\"x\ny\"\n", "a,b\n1,\"x\r\ny\"\n", false},
		{"ends outside, one kept inside", "a,b\n1,\"x\ny\"\n", "a,b\r\n1,\"x\ny\"\r\n", true},
		{"all ends", "a,b\n1,\"x\ny\"\n", crlf("a,b\n1,\"x\ny\"\n"), false},
		{"an end after doubled quotes", "a,b\n1,\"x\"\"\ny\"\n", "a,b\n1,\"x\"\"\r\ny\"\n", false},
		{"a quote amid a field opens nothing", "a,b\n1,5\" pipe\n2,y\n", crlf("a,b\n1,5\" pipe\n2,y\n"), true},
		{"an apostrophe amid a field", "a,b\n1,O'Brien\n2,y\n", crlf("a,b\n1,O'Brien\n2,y\n"), true},
		{"single quotes, which DuckDB may take for quotes", "a,b\n1,'x\ny'\n", crlf("a,b\n1,'x\ny'\n"), false},
		{"a quote after a blank, which DuckDB skips", "a,b\n1, \"x\ny\"\n", crlf("a,b\n1, \"x\ny\"\n"), false},
		{"a backslash before a quote", "a,b\n1,\"x\\\"\n2,y\n", crlf("a,b\n1,\"x\\\"\n2,y\n"), false},
		{"a quote left open, which DuckDB then reads as text", "a,b\n\",1\r\n", "a,b\r\n\",1\r\n", false},
		{"text after a closing quote", "a,b\n\"1\"x,2\n", crlf("a,b\n\"1\"x,2\n"), false},
		{"an apostrophe in quotes", "a,b\n1,\"it's\"\n", crlf("a,b\n1,\"it's\"\n"), true},
		{"an apostrophe in quotes beside another kind of end", "a,b\n1,\"it's\nx\"\n", "a,b\r\n1,\"it's\nx\"\r\n", false},
		{"mixed ends are no spelling", "a,b\n1,x\n", "a,b\r\n1,x\n", false},
		{"a lone return", "a,b\n1,x\n", "a,b\r1,x\n", false},
		{"a return amid a field", "a,b\n1,x\ry\n", "a,b\n1,x\ny\n", false},
		{"two returns", "a,b\n1,x\n", "a,b\r\r\n1,x\r\r\n", false},
		{"another value", "a,b\n1,x\n", "a,b\n1,y\n", false},
		{"a blank", "a,b\n1,x\n", "a,b\n1, x\n", false},
		{"a blank line", "a,b\n1,x\n", "a,b\n\n1,x\n", false},
		{"a byte order mark", "a,b\n1,x\n", "\xef\xbb\xbfa,b\n1,x\n", false},
		{"a mark before a quote", "\xef\xbb\xbf\"a\nz\",b\n1,x\n", "\xef\xbb\xbf\"a\r\nz\",b\n1,x\n", false},
		{"nothing", "", "\n", false},
	} {
		if got := csvHash(t, c.a, ",") == csvHash(t, c.b, ","); got != c.same {
			t.Errorf("%s: same is %v", c.what, got)
		}
	}
	// The delimiter decides where a field starts.
	a, b := "a;b\n1;\"x\ny\"\n", "a;b\n1;\"x\r\ny\"\n"
	if csvHash(t, a, ";") == csvHash(t, b, ";") {
		t.Error("an end inside quotes after a semicolon is not seen")
	}
	// A long line is no line end.
	long := strings.Repeat("x", 200_000)
	if csvHash(t, "a\n"+long+"\n", ",") != csvHash(t, "a\r\n"+long+"\r\n", ",") || csvHash(t, "a\n\""+long+"\n\"\n", ",") == csvHash(t, "a\n\""+long+"\r\n\"\n", ",") {
		t.Error("lines longer than the buffer are taken apart")
	}
}

func TestSeedHash(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rates.csv")
	if err := os.WriteFile(path, []byte("code,rate\nx,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := &Node{Resource: Seed, SeedPath: path}
	if h := n.SeedHash(); h != csvHash(t, "code,rate\r\nx,1\r\n", ",") {
		t.Errorf("the file hashes to %q", h)
	}
	for _, unknown := range []*Node{{Resource: Seed, SeedPath: filepath.Join(dir, "gone.csv")}, {Resource: Seed}, {Resource: Seed, SeedPath: dir}, {Resource: Model, SeedPath: path}} {
		if h := unknown.SeedHash(); h != "" {
			t.Errorf("%+v hashes to %q", unknown, h)
		}
	}
}
