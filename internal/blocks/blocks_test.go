package blocks

import "testing"

type value struct {
	p *int
	n [9]int
}

// Whatever was written into a block, it comes back zeroed, and of huge ones little is kept.
func TestBlocksComeBackZeroed(t *testing.T) {
	var b Blocks[value]
	for round := range 4 {
		unused := 0
		for _, n := range []int{1, 300, 2, 100_000, 5, 1} {
			for range 50 {
				block := b.Next(n)
				if len(block) < n {
					t.Fatalf("%d values instead of %d", len(block), n)
				}
				for i := range block {
					if block[i] != (value{}) {
						t.Fatalf("round %d: %v", round, block[i])
					}
				}
				unused = len(block) / 2
				for i := range block[:len(block)-unused] {
					block[i] = value{p: new(int), n: [9]int{1}}
				}
				if n > 1000 {
					break
				}
			}
		}
		b.Recycle(unused)
		if b.Kept() > kept || b.Kept() < ordinary {
			t.Errorf("%d bytes are kept", b.Kept())
		}
	}
}
