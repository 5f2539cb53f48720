package rows

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/outline"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Evict drops the rows of a brand with columns of its own from memory, from the
// next commit on; false when it has none or is cold already. Until they are back its
// rows are counted, not kept, and a question reads them from where they are stored.
func (t *Table) Evict(dense uint32) bool {
	cell := *t.cell(dense)
	if cell&ownBit == 0 {
		return false
	}
	c := t.own[cell&^ownBit]
	if c.set.Cold && c.reload == nil {
		return false
	}
	c.set = &Set{Dense: dense, ID: c.id, Cold: true, Outline: outlineOf(c), epoch: t.epoch}
	c.n, c.high, c.late, c.removed, c.reload = 0, 0, nil, nil, nil
	c.touch()
	return true
}

// outlineOf is the outline of the rows, which are in memory, or as it is known.
func outlineOf(c *Columns) (o outline.Outline) {
	s := c.set
	if s.Cold {
		return s.Outline
	}
	var tail []TailRow
	if s.tail != nil {
		tail = s.tail.rows[:c.n]
	}
	maxMarks := c.t.opt.Outline
	o.Begin(c.rows, reach(s.Runs, tail, c.late), maxMarks, c.t.epoch)
	for _, r := range s.Runs {
		for i, t := range r.Chunk.Time {
			if !r.Deleted.Has(i) {
				o.Put(t, r.Chunk.Seq(i))
			}
		}
	}
	for i := range tail {
		if !s.tailDeleted.Has(i) {
			o.Put(tail[i].Time, tail[i].Seq)
		}
	}
	for i := range c.late {
		o.Put(c.late[i].time, c.late[i].seq)
	}
	o.Settle(maxMarks)
	return o
}

// reach is the times that rows may have.
func reach(runs []Run, tail []TailRow, late []item) domain.Range {
	in := domain.Range{From: 1<<32 - 1}
	see := func(first, last uint32) { in.From, in.To = min(in.From, first), max(in.To, last) }
	for _, r := range runs {
		see(r.Chunk.Min, r.Chunk.Max)
	}
	if n := len(tail); n > 0 {
		see(tail[n-1].Low, tail[n-1].High)
	}
	for i := range late {
		see(late[i].time, late[i].time)
	}
	return in
}

// noteCold notes new rows of a cold set, and numbers their kinds: a question is to know all that there are.
func noteCold(c *Columns, rows []domain.Row) {
	o, kinds := &c.change().Outline, c.kinds()
	for i := range rows {
		r := &rows[i]
		o.Add(r.Time, r.Seq, c.t.opt.Outline, c.t.epoch)
		kinds.of(KindOf(r))
	}
}

// Coarsen halves how much is known of when the rows of cold sets were made, from the next commit on;
// false where that is as little as may be.
func (t *Table) Coarsen() bool {
	if t.opt.Outline <= outline.Least {
		return false
	}
	t.opt.Outline = max(t.opt.Outline/2, outline.Least)
	for _, c := range t.own {
		if c.set.Cold && c.set.Outline.Bytes() > 0 {
			c.change().Outline.Limit(t.opt.Outline, t.epoch)
		}
	}
	return true
}

// Small calls f with every brand of the pool, and how many rows it has there.
func (t *Table) Small(f func(dense uint32, rows int)) {
	for k, page := range t.cells {
		for i, n := range page {
			if n > 0 && n&ownBit == 0 {
				f(uint32(k*cellPage+i), int(n))
			}
		}
	}
}

// EvictSmall drops the rows of brands of the pool from memory, from the next commit on: each
// gets columns of its own, which are cold. What stays in the pool is packed again. A brand that has no
// rows there is left as it is: readers may hold its set.
func (t *Table) EvictSmall(brands []Cold) {
	leaving := make([]uint64, len(t.cells)*cellPage/64)
	var cold []*Columns
	for _, b := range brands {
		rows := *t.cell(b.Dense)
		if rows == 0 || rows&ownBit != 0 {
			continue
		}
		leaving[b.Dense>>6] |= 1 << (b.Dense & 63)
		c := t.adopt(b.Dense, b.Brand)
		c.rows = int(rows)
		c.set.Cold = true
		t.rest.rows -= c.rows
		cold = append(cold, c)
	}
	t.rest.leave(leaving)
	for _, c := range cold {
		c.set.Outline.Settle(t.opt.Outline)
	}
}

// leave drops the rows of the brands in a bitset from the pool.
func (c *Columns) leave(brands []uint64) {
	x := sorters.Get().(*sorter)
	x.items = append(x.items[:0], c.late...)
	for _, r := range c.set.Runs {
		x.add(r)
	}
	c.spill(x)
	x.items = slices.DeleteFunc(x.items, func(it item) bool {
		leaves := brands[it.brand>>6]>>(it.brand&63)&1 != 0
		if leaves {
			c.t.Target(it.brand).set.Outline.Put(it.time, it.seq)
		}
		return leaves
	})
	c.set = &Set{Runs: x.runs(c.t.opt.ChunkMax, true), epoch: c.t.epoch}
	sorters.Put(x)
	c.n, c.high, c.late = 0, 0, nil
	c.touch()
}

// Reload is a cold brand's way back into memory. It is made right after a commit;
// then the rows of that commit, as they are stored, are given to Add, on any one goroutine, while the
// shard continues; then Restore puts them in.
type Reload struct {
	c        *Columns
	limit    int
	counting Counting
	kinds    kindTable // its own numbers: those of the table are the writer's
	x        sorter
	runs     []Run
}

// Reload begins to bring a cold brand back; nil when it is not cold, is on its way
// already, or was changed since the last commit. From here on its rows are kept.
func (t *Table) Reload(dense uint32) *Reload {
	cell := *t.cell(dense)
	if cell&ownBit == 0 {
		return nil
	}
	c := t.own[cell&^ownBit]
	if !c.set.Cold || c.reload != nil || c.dirty {
		return nil
	}
	c.reload = &Reload{c: c, limit: t.opt.ChunkMax, counting: t.counting}
	return c.reload
}

// Add adds rows as they are stored, in any order.
func (r *Reload) Add(rows []domain.Row) {
	for i := range rows {
		a := &rows[i]
		if !r.counting.Holds(a) {
			continue
		}
		r.x.items = append(r.x.items, item{
			seq: a.Seq, time: a.Time, ord: uint32(a.Ord),
			kind: r.kinds.of(KindOf(a)), points: a.Points,
		})
		if len(r.x.items) == r.limit {
			r.flush()
		}
	}
}

func (r *Reload) flush() { r.runs = append(r.runs, r.x.runs(r.limit, false)...) }

// Restore makes the brand resident from the next commit on; false when it was
// evicted again meanwhile.
func (t *Table) Restore(r *Reload) bool {
	c := r.c
	if c.reload != r {
		return false
	}
	c.settleLate()
	r.flush()
	for _, run := range r.runs {
		for i, k := range run.Chunk.Dict {
			run.Chunk.Dict[i] = c.kinds().of(r.kinds.list[k])
		}
	}
	s := c.change()
	s.Cold, s.Outline = false, outline.Outline{}
	s.Runs = append(r.runs, s.Runs...)
	for _, g := range c.removed {
		s.delete(c.dense, g.time, g.seq, t.epoch)
	}
	c.removed, c.reload = nil, nil
	c.queue()
	return true
}

// Abandon gives a reload up, as when the rows cannot be read; the brand stays
// cold.
func (t *Table) Abandon(r *Reload) {
	if r.c.reload == r {
		t.Evict(r.c.dense)
	}
}
