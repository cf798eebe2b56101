package blocks

import "unsafe"

// Blocks are blocks of values of one type, in the order in which they are handed out. The zero value has none.
type Blocks[T any] struct {
	list [][]T
	n    int // how many of the list are in use
}

// Bytes of an ordinary block, and of all that are kept for later.
const (
	ordinary = 8192
	kept     = 1 << 19
)

// Next returns a block of zeroed values, at least n of them.
func (b *Blocks[T]) Next(n int) []T {
	for b.n < len(b.list) && len(b.list[b.n]) < n {
		b.n++
	}
	if b.n == len(b.list) {
		b.list = append(b.list, make([]T, max(n, ordinary/sizeOf[T](), 1)))
	}
	b.n++
	return b.list[b.n-1]
}

// Recycle takes back all blocks; of the last one, unused values at the end were never written. Nothing may point into them from now on.
func (b *Blocks[T]) Recycle(unused int) {
	size := 0
	for i, block := range b.list {
		if size += len(block) * sizeOf[T](); size > kept {
			clear(b.list[i:])
			b.list = b.list[:i]
			break
		}
		switch {
		case i < b.n-1:
			clear(block)
		case i == b.n-1:
			clear(block[:len(block)-unused])
		}
	}
	b.n = 0
}

// Kept is how many bytes wait for later use.
func (b *Blocks[T]) Kept() (bytes int) {
	for _, block := range b.list {
		bytes += len(block) * sizeOf[T]()
	}
	return bytes
}

func sizeOf[T any]() int {
	var x T
	return max(1, int(unsafe.Sizeof(x)))
}
