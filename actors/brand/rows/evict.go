package rows

import (
	"slices"

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
	c.set = &Set{Dense: dense, ID: c.id, Cold: true, held: c.rows, epoch: t.epoch}
	c.n, c.high, c.late, c.removed, c.reload = 0, 0, nil, nil, nil
	c.touch()
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
// gets columns of its own, which are cold. What stays in the pool is packed anew.
func (t *Table) EvictSmall(brands []Cold) {
	leaving := make([]uint64, len(t.cells)*cellPage/64)
	for _, b := range brands {
		rows := *t.cell(b.Dense)
		if rows == 0 || rows&ownBit != 0 {
			continue
		}
		leaving[b.Dense>>6] |= 1 << (b.Dense & 63)
		c := t.adopt(b.Dense, b.Brand)
		c.rows = int(rows)
		c.set.Cold, c.set.held = true, c.rows
		t.rest.rows -= c.rows
	}
	t.rest.leave(leaving)
}

// leave drops the rows of the brands in a bitset from the pool.
func (c *Columns) leave(brands []uint64) {
	x := sorters.Get().(*sorter)
	x.items = append(x.items[:0], c.late...)
	for _, r := range c.set.Runs {
		x.add(r)
	}
	c.spill(x)
	x.items = slices.DeleteFunc(x.items, func(it item) bool { return brands[it.brand>>6]>>(it.brand&63)&1 != 0 })
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
			kind: r.kinds.of(a.Definition, a.Service), points: a.Points,
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
			v := r.kinds.list[k]
			run.Chunk.Dict[i] = c.kinds().of(v.Definition, v.Service)
		}
	}
	s := c.change()
	s.Cold, s.held = false, 0
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
