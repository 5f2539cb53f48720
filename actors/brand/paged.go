package brand

import "slices"

// paged is a persistent array in two levels: a page is copied when first written
// in an epoch, the directory likewise. V is small: a pointer, a number.
type paged[V any] struct {
	shift uint // a page has 1<<shift elements
	dir   []*page[V]
	epoch uint64
}

type page[V any] struct {
	v     []V
	epoch uint64
}

// get is the element at i, zero where none was set.
func (p *paged[V]) get(i uint32) (v V) {
	if k := int(i >> p.shift); k < len(p.dir) && p.dir[k] != nil {
		return p.dir[k].v[i&(1<<p.shift-1)]
	}
	return v
}

// set is p with v at i: p itself if it belongs to this epoch, else a copy.
func (p *paged[V]) set(i uint32, v V, epoch uint64) *paged[V] {
	if p.epoch != epoch {
		p = &paged[V]{p.shift, slices.Clone(p.dir), epoch}
	}
	k := int(i >> p.shift)
	if k >= len(p.dir) {
		p.dir = append(p.dir, make([]*page[V], k+1-len(p.dir))...)
	}
	pg := p.dir[k]
	switch {
	case pg == nil:
		pg = &page[V]{make([]V, 1<<p.shift), epoch}
	case pg.epoch != epoch:
		pg = &page[V]{slices.Clone(pg.v), epoch}
	}
	pg.v[i&(1<<p.shift-1)] = v
	p.dir[k] = pg
	return p
}
