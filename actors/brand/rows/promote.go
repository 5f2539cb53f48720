package rows

import "github.com/ovation-analytics/ovation/actors/domain"

// adopt gives a brand empty columns of its own.
func (t *Table) adopt(dense uint32, id domain.BrandID) *Columns {
	c := &Columns{
		t: t, own: true, dense: dense, id: id, slot: uint32(len(t.own)),
		set: &Set{Dense: dense, ID: id, epoch: t.epoch},
	}
	t.own = append(t.own, c)
	t.index.Set(dense, c.slot+1, t.epoch)
	*t.cell(dense) = c.slot | ownBit
	c.touch()
	return c
}

// promote gives a brand of the pool columns of its own: its rows become chunks, in
// the rest they are marked deleted.
func (t *Table) promote(dense uint32, id domain.BrandID) *Columns {
	x := sorters.Get().(*sorter)
	t.rest.yield(x, dense)
	c := t.adopt(dense, id)
	c.rows = len(x.items)
	t.rest.rows -= c.rows
	c.set.Runs = x.runs(t.opt.ChunkMax, false)
	sorters.Put(x)
	t.stats.Promotions++
	return c
}

// yield takes the brand's rows out of the pool and adds them to the sorter's items.
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
	for k := range s.Runs {
		r := &s.Runs[k]
		for _, p := range r.Chunk.Of(dense) {
			if i := int(p); !r.Deleted.Has(i) {
				x.items = append(x.items, r.Chunk.item(i))
				r.Deleted = r.Deleted.with(i, r.Chunk.Rows(), c.t.epoch)
			}
		}
	}
	if s.tail != nil {
		for i, b := range s.tail.brand[:c.n] {
			if b == dense && !s.tailDeleted.Has(i) {
				r := &s.tail.rows[i]
				x.items = append(x.items, item{seq: r.Seq, time: r.Time, ord: r.Ord, kind: r.Kind, points: r.Points})
				s.tailDeleted = s.tailDeleted.with(i, len(s.tail.rows), c.t.epoch)
			}
		}
	}
	c.queue()
}
