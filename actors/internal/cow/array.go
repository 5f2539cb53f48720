package cow

// Array is an array by dense id. A page is copied when it is first written in an epoch, the
// directory likewise, so that an epoch copies no more than it changes. A copy of the Array
// stays as it is while epochs rise.
type Array[V any] struct {
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

// Get is the element at i; the zero value where none was set.
func (p Array[V]) Get(i uint32) (v V) {
	if k := int(i >> pageShift); k < len(p.dir) && p.dir[k] != nil {
		return p.dir[k].v[i%pageSize]
	}
	return v
}

// Set puts v at i in the given epoch, which must not be below an earlier one.
func (p *Array[V]) Set(i uint32, v V, epoch uint64) {
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

// Each calls f for every element that was ever on a page, zero values too, in
// order.
func (p Array[V]) Each(f func(i uint32, v V)) {
	for k, pg := range p.dir {
		if pg == nil {
			continue
		}
		for j := range pg.v {
			f(uint32(k<<pageShift+j), pg.v[j])
		}
	}
}
