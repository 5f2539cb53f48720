package scan

import (
	"cmp"
	"slices"
)

// place is a member in a ranking.
type place struct {
	key, id uint64
	ord     uint32
}

// before orders places: the greatest key first, ties by id ascending.
func before(a, b place) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.id, b.id)) }

// best keeps the first k of the places offered.
type best struct {
	k      int
	floor  place // if full: who comes after it is not among them
	full   bool
	places []place
}

// offer takes a place into account.
func (b *best) offer(p place) {
	if b.k == 0 || b.full && before(p, b.floor) > 0 {
		return
	}
	b.places = append(b.places, p)
	if len(b.places) >= max(2*b.k, 64) {
		b.floor, b.full = b.sorted()[b.k-1], true
	}
}

// sorted is the first k, in order.
func (b *best) sorted() []place {
	slices.SortFunc(b.places, before)
	b.places = b.places[:min(b.k, len(b.places))]
	return b.places
}
