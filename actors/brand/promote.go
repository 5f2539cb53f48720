package brand

import "github.com/ovation-analytics/ovation/actors/domain"

// adopt gives a brand empty columns of its own.
func (t *Table) adopt(dense uint32, id domain.BrandID) *Columns {
	c := &Columns{
		t: t, own: true, dense: dense, id: id, slot: uint32(len(t.own)),
		set: &set{dense: dense, id: id, epoch: t.epoch},
	}
	t.own = append(t.own, c)
	t.index.Set(dense, c.slot+1, t.epoch)
	*t.cell(dense) = c.slot | ownBit
	c.touch()
	return c
}

// promote gives a brand of the rest columns of its own: its rows become chunks, in
// the rest they turn dead.
func (t *Table) promote(dense uint32, id domain.BrandID) *Columns {
	x := sorters.Get().(*sorter)
	t.rest.yield(x, dense)
	c := t.adopt(dense, id)
	c.rows = len(x.items)
	t.rest.rows -= c.rows
	c.set.runs = x.runs(t.opt.ChunkMax, false)
	sorters.Put(x)
	t.stats.Promotions++
	return c
}

// yield takes the brand's rows out of the rest and adds them to the sorter's items.
func (c *Columns) yield(x *sorter, dense uint32) {
	kept := c.late[:0]
	for _, it := range c.late {
		if it.brand == dense {
			x.items = append(x.items, it)
		} else {
			kept = append(kept, it)
		}
	}
	c.late = kept
	if *c.t.cell(dense) == uint32(len(x.items)) {
		return
	}
	s := c.change()
	for k := range s.runs {
		r := &s.runs[k]
		for _, p := range r.c.of(dense) {
			if i := int(p); !r.dead.has(i) {
				x.items = append(x.items, r.c.item(i))
				r.dead = r.dead.with(i, r.c.rows(), c.t.epoch)
			}
		}
	}
	if s.tail != nil {
		for i, b := range s.tail.brand[:c.n] {
			if b == dense && !s.tailDead.has(i) {
				r := &s.tail.rows[i]
				x.items = append(x.items, item{seq: r.seq, time: r.time, ord: r.ord, kind: r.kind, points: r.points})
				s.tailDead = s.tailDead.with(i, len(s.tail.rows), c.t.epoch)
			}
		}
	}
	c.queue()
}
