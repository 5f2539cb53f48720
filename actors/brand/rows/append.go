package rows

import "github.com/ovation-analytics/ovation/actors/domain"

// Append adds rows of one brand; they are seen from the next commit on. Within a
// commit they may come in any order, brand by brand; rows whose sequences are not
// above those of the last commit are taken as Load takes them. Rows of a brand
// that was promoted meanwhile are appended to its own columns.
func (c *Columns) Append(dense uint32, rows []domain.Row) {
	if len(rows) == 0 {
		return
	}
	if o := c.t.Target(dense); o != c {
		o.Append(dense, rows)
		return
	}
	c.add(dense, rows, c.t.extent.add(rows) <= c.t.extent.committed)
}

// Return adds rows that were stored before and did not count; they are seen from the next commit on.
func (c *Columns) Return(dense uint32, rows []domain.Row) {
	if o := c.t.Target(dense); o != c {
		o.Return(dense, rows)
		return
	}
	c.t.extent.add(rows)
	c.add(dense, rows, true)
}

// add adds rows, which cannot enter a tail if they are late.
func (c *Columns) add(dense uint32, rows []domain.Row, late bool) {
	c.rows += len(rows)
	c.touch()
	if !c.own {
		c.t.grew(dense, len(rows), rows[0].Brand)
	}
	if c.set.Cold {
		noteCold(c, rows)
	}
	switch {
	case c.set.Cold && c.reload == nil:
	case late:
		c.later(dense, rows)
	default:
		for len(rows) > 0 {
			n := min(c.room(len(rows)), len(rows))
			c.fill(dense, rows[:n])
			rows = rows[n:]
		}
	}
}

// fill writes rows into the tail, which has room for them.
func (c *Columns) fill(dense uint32, rows []domain.Row) {
	t, n, high, low := c.set.tail, c.n, c.high, rows[0].Time
	kinds := c.kinds()
	before, disorder := uint64(0), false
	if n > 0 {
		low = t.rows[n-1].Low
		before = t.rows[n-1].Seq
	}
	for i := range rows {
		r := &rows[i]
		high, low = max(high, r.Time), min(low, r.Time)
		disorder = disorder || r.Seq < before
		before = r.Seq
		t.rows[n+i] = TailRow{
			Seq: r.Seq, Time: r.Time, Ord: uint32(r.Ord), High: high, Low: low,
			Kind: kinds.of(KindOf(r)), Points: r.Points,
		}
	}
	if !c.own {
		for i := range rows {
			t.brand[n+i] = dense
		}
	}
	c.n, c.high = n+len(rows), high
	if disorder {
		t.disorder.Store(true)
	}
}

// room is how many rows the tail takes, which is made to grow for want of so many,
// or is sealed when it is full.
func (c *Columns) room(want int) int {
	o := &c.t.opt
	t := c.set.tail
	if t == nil {
		t = newTail(o.TailMin, !c.own)
		c.change().tail = t
	}
	if free := len(t.rows) - c.n; free > 0 {
		return free
	}
	if c.n >= o.TailMax {
		c.seal()
		return len(c.set.tail.rows)
	}
	size := len(t.rows) * 2
	for size < c.n+want && size < o.TailMax {
		size *= 2
	}
	size = min(size, o.TailMax)
	s := c.change()
	s.tail = t.grown(size)
	s.tailDeleted = s.tailDeleted.grown(size, c.t.epoch)
	return size - c.n
}

// seal sorts the tail's living rows into a chunk and begins another tail.
func (c *Columns) seal() {
	s := c.change()
	x := sorters.Get().(*sorter)
	c.spill(x)
	s.Runs = append(s.Runs, x.runs(c.t.opt.ChunkMax, !c.own)...)
	sorters.Put(x)
	size := c.t.opt.TailMax
	if c.own {
		size = max(c.t.opt.TailMin, size/8)
	}
	s.tail, s.tailDeleted, c.n, c.high = newTail(size, !c.own), nil, 0, 0
	c.t.stats.Seals++
	c.queue()
}

// spill adds the tail's living rows to the sorter's items.
func (c *Columns) spill(x *sorter) {
	s := c.set
	if s.tail == nil {
		return
	}
	for i := range s.tail.rows[:c.n] {
		if s.tailDeleted.Has(i) {
			continue
		}
		r := &s.tail.rows[i]
		it := item{seq: r.Seq, time: r.Time, ord: r.Ord, kind: r.Kind, points: r.Points}
		if !c.own {
			it.brand = s.tail.brand[i]
		}
		x.items = append(x.items, it)
	}
}

// later keeps rows aside until they become chunks: at the commit, or when they are
// enough for one.
func (c *Columns) later(dense uint32, rows []domain.Row) {
	kinds := c.kinds()
	for i := range rows {
		r := &rows[i]
		c.late = append(c.late, item{
			seq: r.Seq, time: r.Time, ord: uint32(r.Ord), brand: dense,
			kind: kinds.of(KindOf(r)), points: r.Points,
		})
		if len(c.late) == c.t.opt.ChunkMax {
			c.settleLate()
		}
	}
}
