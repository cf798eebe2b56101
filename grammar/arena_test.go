package grammar

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"
)

// A tree must not keep the trees alive that the same parser made before and after it.
func TestTreesShareNoMemory(t *testing.T) {
	const rounds = 20
	var old []weak.Pointer[byte]
	var last *File
	for n := range rounds {
		f, err := Parse(model(n), DuckDB)
		if err != nil {
			t.Fatal(err)
		}
		if n < rounds-1 {
			old = append(old, blocks(f)...)
		}
		last = f
	}
	runtime.GC()
	runtime.GC()
	kept := 0
	for _, w := range old {
		if w.Value() != nil {
			kept++
		}
	}
	if len(old) < 100*rounds || kept > 0 {
		t.Errorf("%d of %d nodes of older trees are still held", kept, len(old))
	}
	runtime.KeepAlive(last)
}

// blocks returns a weak pointer to each node of the tree.
func blocks(f *File) (out []weak.Pointer[byte]) {
	Walk(f, func(n Node) bool {
		// The second word of an interface value is the pointer to its node.
		p := (*[2]unsafe.Pointer)(unsafe.Pointer(&n))[1]
		out = append(out, weak.Make((*byte)(p)))
		return true
	})
	return out
}
