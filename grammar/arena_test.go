package grammar

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
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
			old = append(old, held(f)...)
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

// held returns a weak pointer to each node of the tree.
func held(f *File) (out []weak.Pointer[byte]) {
	Walk(f, func(n Node) bool {
		// The second word of an interface value is the pointer to its node.
		p := (*[2]unsafe.Pointer)(unsafe.Pointer(&n))[1]
		out = append(out, weak.Make((*byte)(p)))
		return true
	})
	return out
}

// Every slab of the arena must come back from a lent tree, its values zeroed.
func TestLentTreesComeBack(t *testing.T) {
	p := new(parser)
	p.lend()
	n := 0
	for _, part := range []any{p.slabs, p.lists} {
		n += reflect.TypeOf(part).NumField()
	}
	if len(p.all) != n {
		t.Fatalf("%d of %d slabs come back", len(p.all), n)
	}
	for round := range 3 {
		p.open(model(round), DuckDB)
		f, err := p.parse()
		if err != nil {
			t.Fatal(err)
		}
		p.shut()
		p.reset()
		for i := range f.Statements {
			Walk(f.Statements[i], func(n Node) bool {
				if q, ok := n.(*Query); !ok || !reflect.ValueOf(q).Elem().IsZero() {
					t.Fatalf("a %T is still there", n)
				}
				return true
			})
		}
	}
}

// What is lent is what Parse gives, whatever stood in its memory before, and a huge tree is not kept.
func TestLendIsParse(t *testing.T) {
	for _, d := range []Dialect{DuckDB, Databricks} {
		for n := range 40 {
			sql := model(n % 7)
			if n == 20 {
				sql = "select 1" + strings.Repeat(" + f(x)", 20_000)
			}
			if n%5 == 3 {
				sql += " where )" // after a failure too
			}
			want, wantErr := Parse(sql, d)
			lent := false
			err := Lend(sql, d, func(f *File) {
				lent = true
				if !Equal(f, want) || Print(f, d) != Print(want, d) || !slices.Equal(f.Comments, want.Comments) {
					t.Errorf("another tree of %.100s", sql)
				}
			})
			if lent != (err == nil) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("lent %v: %v instead of %v", lent, err, wantErr)
			}
		}
	}
}
