package enginetest

import (
	"runtime"
	"testing"
)

// recorder is a testing.TB that keeps how it ended.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.end("failed") }
func (r *recorder) Skipf(string, ...any)  { r.end("skipped") }

func (r *recorder) end(how string) {
	r.ended = how
	runtime.Goexit()
}

func TestMissing(t *testing.T) {
	for _, c := range []struct{ env, want string }{{"", "skipped"}, {"0", "skipped"}, {"1", "failed"}} {
		t.Setenv("HODOR_REQUIRE_ENGINES", c.env)
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			Missing(r, "no engine")
		}()
		<-done
		if r.ended != c.want {
			t.Errorf("HODOR_REQUIRE_ENGINES=%q: %q, want %q", c.env, r.ended, c.want)
		}
	}
}
