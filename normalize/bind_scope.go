package normalize

// The FROM clause of one select block: which items are in view, by name and by column.

// scope is the FROM clause of one select block.
type scope struct {
	items []*item
	// index holds the items in view by name, given every name that was given, also of items that are out of view by now. Both are made once there are
	// more than fewItems items; before that all are looked at.
	index map[string][]*item
	given map[string]*item
	all   []*item
	// columns has the places in knowns of the known columns by name, over the items up to the counted-th; made when first asked for.
	columns nameTable
	knowns  []knownColumn
	counted int
	// partial is the number of visible items with unknown columns, last the last of them, rest the values of all their unknown columns.
	partial int
	last    *item
	rest    value
	// rows are the values of whole rows by the name of their items, of the first n of them.
	rows map[string]knownRows
	// using holds the names of USING columns; of holds the known columns by name, of the first ofItems items. natural: a NATURAL join, whose columns
	// are not known, and compared the number of items that it was looked at for.
	using    map[string]bool
	of       map[string][]*column
	ofItems  int
	natural  bool
	compared int
}

// compare decides the columns of that name, which a USING compares: all known ones, and whatever may be an unknown one. Each is decided once.
func (s *scope) compare(name string) {
	if s.of == nil {
		s.of = map[string][]*column{}
	}
	for ; s.ofItems < len(s.items); s.ofItems++ {
		rel := s.items[s.ofItems].rel
		for i := range rel.cols {
			if c := &rel.cols[i]; c.name != "" {
				s.of[c.name] = append(s.of[c.name], c)
			}
		}
		if rel.partial {
			decided(rel.rest)
		}
	}
	for _, c := range s.of[name] {
		decided(activate(c.value))
	}
	delete(s.of, name)
}

// knownRows is the value of the rows of n items.
type knownRows struct {
	n int
	value
}

// wholeRows is the value of the rows of all items in view that have the name.
func (s *scope) wholeRows(name string, same []*item) value {
	known := s.rows[name]
	if known.n > len(same) {
		known = knownRows{}
	}
	if known.n < len(same) {
		for _, it := range same[known.n:] {
			known.value = merge(known.value, it.rel.all())
		}
		known.n = len(same)
		if s.rows == nil {
			s.rows = map[string]knownRows{}
		}
		s.rows[name] = known
	}
	return known.value
}

// knownColumn is a column name: the first item that has it, the last one, and how many do.
type knownColumn struct {
	item, latest *item
	col          *column
	n            int
}

// add puts an item in view.
func (a *analysis) add(s *scope, it *item) {
	it.scope = s
	if it.name != "" {
		a.itemNames[it.name]++
		if other := s.wasGiven(it.name); other != nil {
			// Two items of one name are an error in most places, which new names would hide.
			other.pinned, it.pinned = true, true
		}
		if s.all == nil {
			s.all = a.mem.itemLists.list(4)
		}
		s.all = append(s.all, it)
		if s.given != nil {
			s.given[it.name] = it
			s.index[it.name] = append(s.index[it.name], it)
		}
	}
	if s.items == nil {
		s.items = a.mem.itemLists.list(4)
	}
	s.items = append(s.items, it)
	if s.given == nil && len(s.all) > fewItems {
		s.given, s.index = map[string]*item{}, map[string][]*item{}
		for _, it := range s.all {
			s.given[it.name] = it
		}
		for _, it := range s.items {
			if it.name != "" {
				s.index[it.name] = append(s.index[it.name], it)
			}
		}
	}
}

// fewItems is how many items are faster to look at than to look up.
const fewItems = 8

// wasGiven is the last item that was given the name, in view or not.
func (s *scope) wasGiven(name string) *item {
	if s.given != nil {
		return s.given[name]
	}
	for i := len(s.all) - 1; i >= 0; i-- {
		if s.all[i].name == name {
			return s.all[i]
		}
	}
	return nil
}

// byName returns the items in view that have the name, in order.
func (s *scope) byName(name string) []*item {
	if s.index != nil {
		return s.index[name]
	}
	if name == "" {
		return nil
	}
	var found []*item
	for i, it := range s.items {
		if it.name == name {
			if found == nil {
				found = s.items[i : i+1 : i+1]
			} else {
				found = append(found, it)
			}
		}
	}
	return found
}

// hide takes the items from the n-th on out of view: the right side of a semi or anti join.
func (s *scope) hide(n int) {
	for i := len(s.items) - 1; i >= n; i-- {
		it := s.items[i]
		if it.name != "" && s.index != nil {
			same := s.index[it.name]
			s.index[it.name] = same[:len(same)-1]
		}
		if i < s.counted {
			s.uncount(it)
		}
	}
	s.items = s.items[:n]
	s.rows = nil
	s.counted = min(s.counted, n)
	s.ofItems = min(s.ofItems, n)
	s.compared = min(s.compared, n)
}

// uncount takes the last counted item back.
func (s *scope) uncount(it *item) {
	if it.rel.partial {
		s.partial--
		s.last = it.before
	}
	for i := range it.rel.cols {
		name := it.rel.cols[i].name
		if name == "" {
			continue
		}
		n := s.columns.find(name, nameHash(name))
		if n < 0 {
			continue
		}
		switch k := &s.knowns[n]; {
		case k.item == it:
			*k = knownColumn{}
		case k.item != nil && k.latest == it:
			// A name that the item has twice is taken back once.
			k.n--
			k.latest = nil
		}
	}
}

// known finds the visible column of that name. n is in how many items it is known to be.
func (a *analysis) known(s *scope, name string) knownColumn {
	return a.knownIn(s, name, nameHash(name))
}

func (a *analysis) knownIn(s *scope, name string, hash uint32) knownColumn {
	if len(s.items) == 1 && s.counted == 0 {
		return a.knownInOne(s, name, hash)
	}
	if s.counted == 0 {
		s.columns, s.knowns, s.partial, s.last, s.rest = nameTable{}, s.knowns[:0], 0, nil, value{}
	}
	for ; s.counted < len(s.items); s.counted++ {
		it := s.items[s.counted]
		if it.rel.partial {
			s.partial++
			it.before, s.last = s.last, it
			s.rest = merge(s.rest, it.rel.rest)
		}
		for i := range it.rel.cols {
			c := &it.rel.cols[i]
			if c.name == "" {
				continue
			}
			h := nameHash(c.name)
			n := s.columns.find(c.name, h)
			if n < 0 {
				n = len(s.knowns)
				s.columns.add(&a.mem, c.name, h, n)
				s.knowns = append(s.knowns, knownColumn{})
			}
			k := &s.knowns[n]
			if k.item == nil {
				k.item, k.col = it, c
			}
			if k.latest != it {
				k.n++
				k.latest = it
			}
		}
	}
	if n := s.columns.find(name, hash); n >= 0 {
		return s.knowns[n]
	}
	return knownColumn{}
}

// knownInOne is known where one item is in view: its own index serves.
func (a *analysis) knownInOne(s *scope, name string, hash uint32) (k knownColumn) {
	it := s.items[0]
	s.partial, s.last, s.rest = 0, nil, value{}
	if it.rel.partial {
		s.partial, s.last, s.rest = 1, it, it.rel.rest
		it.before = nil
	}
	if name == "" || len(it.rel.cols) == 0 {
		return k
	}
	if c, ok := a.findHashed(it.rel, name, hash); ok {
		k = knownColumn{item: it, latest: it, col: c, n: 1}
	}
	return k
}

// solePartial returns the one visible item with unknown columns, or nil if there are none or several.
func (a *analysis) solePartial(s *scope) *item {
	a.known(s, "")
	if s.partial != 1 {
		return nil
	}
	return s.last
}
