package normalize

import "hash/maphash"

// nameTable finds places by names. The zero value has none.
type nameTable struct {
	places []place // as many as a power of two, at most half of them in use
	n      int
}

// place is a name and what it stands for, one more than a number of 0 or more; 0: the place is free.
type place struct {
	name  string
	hash  uint32
	after int32
}

var seed = maphash.MakeSeed()

// nameHash is the hash of a name in this process.
func nameHash(name string) uint32 { return uint32(maphash.String(seed, name)) }

// find returns the number of a name, or -1.
func (t *nameTable) find(name string, hash uint32) int {
	if t.n == 0 {
		return -1
	}
	mask := uint32(len(t.places) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch p := &t.places[i]; {
		case p.after == 0:
			return -1
		case p.hash == hash && p.name == name:
			return int(p.after) - 1
		}
	}
}

// add gives a name that is not there a number.
func (t *nameTable) add(m *memory, name string, hash uint32, number int) {
	if 2*(t.n+1) > len(t.places) {
		old := t.places
		t.places = m.places.take(max(16, 2*len(old)))
		for _, p := range old {
			if p.after > 0 {
				t.put(p)
			}
		}
	}
	t.put(place{name, hash, int32(number) + 1})
	t.n++
}

func (t *nameTable) put(p place) {
	mask := uint32(len(t.places) - 1)
	i := p.hash & mask
	for t.places[i].after > 0 {
		i = (i + 1) & mask
	}
	t.places[i] = p
}

// set gives a name a number, whatever it had.
func (t *nameTable) set(m *memory, name string, hash uint32, number int) {
	if t.find(name, hash) < 0 {
		t.add(m, name, hash, number)
		return
	}
	mask := uint32(len(t.places) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if p := &t.places[i]; p.hash == hash && p.name == name {
			p.after = int32(number) + 1
			return
		}
	}
}

// isNew tells whether a name is not there, and adds it.
func (t *nameTable) isNew(m *memory, name string) bool {
	hash := nameHash(name)
	if t.find(name, hash) >= 0 {
		return false
	}
	t.add(m, name, hash, 0)
	return true
}

// reserve makes room for n names.
func (t *nameTable) reserve(m *memory, n int) {
	size := 16
	for size < 2*n {
		size *= 2
	}
	if t.n == 0 && len(t.places) < size {
		t.places = m.places.take(size)
	}
}
