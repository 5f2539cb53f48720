package rows

import "github.com/ovation-analytics/ovation/actors/domain"

// Columns is the writer's side of one set of rows: of a brand with columns of its
// own, or of the pool. Only the shard's goroutine calls it.
type Columns struct {
	t     *Table
	own   bool
	dense uint32         // of an own set
	id    domain.BrandID // of an own set: its label
	slot  uint32         // of an own set: its place among the sets

	set  *Set
	n    int    // rows in the tail, published or not
	high uint32 // greatest time in the tail
	rows int    // living rows, on disk only or not

	late    []item // rows with old sequences: chunks from the next commit on
	removed []mark // of a cold set on its way back: rows removed meanwhile
	reload  *Reload

	dirty      bool // to be published
	queued     bool // may have a compaction pending
	compacting bool // a compaction is under way
}

// kinds is the table that numbers the kinds of the rows.
func (c *Columns) kinds() *kindTable {
	if c.own && c.dense == Visits {
		return &c.t.kinds.visits
	}
	return &c.t.kinds.all
}

// mark names a row.
type mark struct {
	time uint32
	seq  uint64
}

// Brand is the dense number and the label of the brand whose columns these are;
// ok is false for the pool.
func (c *Columns) Brand() (dense uint32, id domain.BrandID, ok bool) { return c.dense, c.id, c.own }

// Rows is the number of living rows, of a cold set too.
func (c *Columns) Rows() int { return c.rows }

// Cold reports that the rows are on disk only.
func (c *Columns) Cold() bool { return c.set.Cold }

// Bytes is the memory the set takes: its chunks, its tail and its deleted marks.
func (c *Columns) Bytes() int {
	if c.Cold() && c.reload == nil {
		return coldBytes + c.set.Outline.Bytes()
	}
	return c.set.bytes() + c.set.Outline.Bytes() + 32*cap(c.late) + 512
}

// OutlineBytes is the memory that the outline takes.
func (c *Columns) OutlineBytes() int { return c.set.Outline.Bytes() }

// coldBytes is what a set takes whose rows are on disk only, beside its outline.
const coldBytes = 448

// touch has the next commit publish c.
func (c *Columns) touch() {
	if !c.dirty {
		c.dirty = true
		c.t.dirty = append(c.t.dirty, c)
	}
}

// change is the set, to be changed freely until the next commit.
func (c *Columns) change() *Set {
	if c.set.epoch != c.t.epoch {
		c.set = c.set.private(c.t.epoch)
	}
	c.touch()
	return c.set
}

// queue has the table look for a compaction here.
func (c *Columns) queue() {
	if !c.queued {
		c.queued = true
		c.t.queue = append(c.t.queue, c)
	}
}

// Remove takes out a row of the brand, by its time and sequence; false where there
// is none in memory. Of a cold brand the row is only counted: on disk it is taken
// out by the store.
func (c *Columns) Remove(dense uint32, row *domain.Row) bool {
	if o := c.t.Target(dense); o != c {
		return o.Remove(dense, row)
	}
	if !c.remove(dense, row.Time, row.Seq) {
		return false
	}
	c.rows--
	if !c.own {
		*c.t.cell(dense)--
	}
	c.touch()
	return true
}

func (c *Columns) remove(dense, time uint32, seq uint64) bool {
	if c.set.Cold {
		c.change().Outline.Remove(time, seq, c.t.epoch)
	}
	if i := c.inTail(dense, time, seq); i >= 0 {
		s := c.change()
		s.tailDeleted = s.tailDeleted.with(i, len(s.tail.rows), c.t.epoch)
		return true
	}
	if c.set.Cold {
		if c.reload != nil {
			c.removed = append(c.removed, mark{time, seq})
		}
		return true
	}
	c.settleLate()
	if !c.change().delete(dense, time, seq, c.t.epoch) {
		return false
	}
	c.queue()
	return true
}

// inTail is the living row of the tail with this brand, time and sequence, or −1.
func (c *Columns) inTail(dense, time uint32, seq uint64) int {
	s := c.set
	if s.tail == nil {
		return -1
	}
	for i := range s.tail.rows[:c.n] {
		r := &s.tail.rows[i]
		if r.Seq != seq {
			continue
		}
		if r.Time != time || !c.own && s.tail.brand[i] != dense || s.tailDeleted.Has(i) {
			return -1
		}
		return i
	}
	return -1
}

// settleLate makes chunks of the late rows.
func (c *Columns) settleLate() {
	if len(c.late) == 0 {
		return
	}
	x := sorters.Get().(*sorter)
	x.items = append(x.items[:0], c.late...)
	s := c.change()
	s.Runs = append(s.Runs, x.runs(c.t.opt.ChunkMax, !c.own)...)
	sorters.Put(x)
	c.late = nil
	c.queue()
}

// publish makes the commit's rows visible in the set, and tells whether the table
// of sets needs the new set. c is dirty.
func (c *Columns) publish() (replaced bool) {
	if c.set.Cold {
		c.change()
	} else if c.set.tail != nil {
		c.set.tail.n.Store(uint32(c.n))
	}
	c.dirty = false
	return c.set.epoch == c.t.epoch
}
