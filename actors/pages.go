package actors

// pages is an array by dense id that one goroutine writes and any reads as of a
// commit: a page is copied when first written in an epoch, the directory
// likewise, so a commit copies no more than it changes.
type pages[V any] struct {
	epoch uint64
	dir   []*leaf[V]
}

const (
	pageShift = 6
	pageSize  = 1 << pageShift
)

type leaf[V any] struct {
	epoch uint64
	v     [pageSize]V
}

// get is the element at i; the zero value where none was set.
func (p pages[V]) get(i uint32) (v V) {
	if k := int(i >> pageShift); k < len(p.dir) && p.dir[k] != nil {
		return p.dir[k].v[i%pageSize]
	}
	return v
}

// set puts v at i in the given epoch, which must not be below an earlier one.
func (p *pages[V]) set(i uint32, v V, epoch uint64) {
	k := int(i >> pageShift)
	if p.epoch != epoch {
		p.dir = append(make([]*leaf[V], 0, max(len(p.dir), k+1)), p.dir...)
		p.epoch = epoch
	}
	for k >= len(p.dir) {
		p.dir = append(p.dir, nil)
	}
	switch pg := p.dir[k]; {
	case pg == nil:
		p.dir[k] = &leaf[V]{epoch: epoch}
	case pg.epoch != epoch:
		c := *pg
		c.epoch = epoch
		p.dir[k] = &c
	}
	p.dir[k].v[i%pageSize] = v
}

// each calls f for every element that was ever on a page, zero values too, in
// order.
func (p pages[V]) each(f func(i uint32, v V)) {
	for k, pg := range p.dir {
		if pg == nil {
			continue
		}
		for j := range pg.v {
			f(uint32(k<<pageShift+j), pg.v[j])
		}
	}
}
