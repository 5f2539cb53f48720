package extended

import (
	"cmp"
	"encoding/json"
)

// Class is what kind of value a node is ordered by.
type Class uint8

// The classes, in ascending order. Missing is the last one in both directions.
const (
	Number Class = iota
	Text
	Missing
)

// maxKey bounds the bytes of a text that nodes are ordered by.
const maxKey = 1024

// Key is what a node is ordered by.
type Key struct {
	Class Class
	Bytes string // sort as the values do within a class
}

// Key is what the path orders a node by: of several values the one that comes first. Texts are
// compared by their first 1,024 bytes. An object is no value.
func (p Path) Key(n *Node, down bool) Key {
	first := Key{Class: Missing}
	p.each(n, func(v any) bool {
		if k := keyOf(v); k.Compare(first, down) < 0 {
			first = k
		}
		return false
	})
	return first
}

func keyOf(v any) Key {
	if number, ok := v.(json.Number); ok {
		if b, ok := sortable(number.String()); ok {
			return Key{Number, b}
		}
	}
	text, ok := textOf(v)
	if !ok {
		return Key{Class: Missing}
	}
	return Key{Text, text[:min(len(text), maxKey)]}
}

// Compare orders keys: numbers, then texts; down is the reverse, with what is missing last again.
func (k Key) Compare(o Key, down bool) int {
	if (k.Class == Missing) != (o.Class == Missing) || !down {
		return cmp.Or(cmp.Compare(k.Class, o.Class), cmp.Compare(k.Bytes, o.Bytes))
	}
	return cmp.Or(cmp.Compare(o.Class, k.Class), cmp.Compare(o.Bytes, k.Bytes))
}
