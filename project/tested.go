package project

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"hodor/engine"
)

// NodeKey is the key of a node's records (spec 8.1): the relation's name for what has one; for tests the unique id and a hash of the relations
// that they test, as they are really read: read names, by parent id, those that deferral leads elsewhere (nil: none). "" for what is never
// decided.
func (p *Project) NodeKey(n *Node, read map[string]string) string {
	if n.Kind != engine.KindTest {
		return n.Relation.Key()
	}
	b := appendString(nil, "hodor tested 1")
	for _, key := range p.Tested(n, read) {
		b = appendString(b, key)
	}
	s := sha256.Sum256(b)
	return n.UniqueID + "#" + hex.EncodeToString(s[:])
}

// Tested returns the keys of the relations that a test tests, sorted: its parents', ephemeral ones replaced by what they read.
func (p *Project) Tested(n *Node, read map[string]string) []string {
	var keys []string
	seen := map[string]bool{n.UniqueID: true}
	var take func(ids []string)
	take = func(ids []string) {
		for _, id := range ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			parent := p.Nodes[id]
			switch {
			case read[id] != "":
				keys = append(keys, read[id])
			case parent == nil:
				keys = append(keys, "?"+id)
			case parent.Kind == KindEphemeral:
				take(parent.Parents)
			case parent.Relation.IsZero():
				keys = append(keys, "?"+id)
			default:
				keys = append(keys, parent.Relation.Key())
			}
		}
	}
	take(n.Parents)
	slices.Sort(keys)
	return slices.Compact(keys)
}
