package rows

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
)

// Visits is the dense number of an account's brand 0: registrations and logins. They
// are asked for by it alone: EveryBrand leaves them out.
const Visits uint32 = 0

// EveryBrand is, in a question, all brands of the account.
const EveryBrand = ^uint32(0)

// Table is the writer's side of an account's rows in a shard. Only the shard's
// goroutine calls it, but for Acquire.
type Table struct {
	opt   Options
	kinds tableKinds
	cells [][]uint32 // dense number → rows in the pool, or slot | ownBit; pages of cellPage
	own   []*Columns // by slot
	rest  *Columns
	sets  cow.Array[*Set]   // by slot
	index cow.Array[uint32] // dense number → slot + 1

	counting Counting

	dirty []*Columns // to be published
	due   []due      // brands of the pool that have become large
	queue []*Columns // where a compaction may be pending

	extent extent
	epoch  uint64 // the next commit's version
	cur    atomic.Pointer[View]
	stats  Stats
}

// Stats is what a table has done.
type Stats struct {
	Seals, Compactions, Promotions int
	Compacted                      int // rows that compactions rewrote
}

// due is a brand to be promoted.
type due struct {
	dense uint32
	id    domain.BrandID
}

const (
	ownBit   = 1 << 31
	cellPage = 256
)

// NewTable is an empty table, with an empty view published.
func NewTable(o Options) *Table {
	t := &Table{opt: o.orDefault(), epoch: 1}
	t.rest = &Columns{t: t, set: &Set{}}
	t.counting.epoch = &t.epoch
	t.Commit(nil)
	return t
}

// tableKinds number the kinds of rows.
type tableKinds struct {
	all    kindTable
	visits kindTable // places make as many kinds as there are pages
}

// Counting is as whose rows count.
func (t *Table) Counting() *Counting { return &t.counting }

// Target is where the brand's rows are: its own columns, or the pool. A commit can
// change it.
func (t *Table) Target(dense uint32) *Columns {
	if c := *t.cell(dense); c&ownBit != 0 {
		return t.own[c&^ownBit]
	}
	if dense == Visits {
		return t.adopt(Visits, 0)
	}
	return t.rest
}

// Append is Target(dense).Append(dense, rows).
func (t *Table) Append(dense uint32, rows []domain.Row) { t.Target(dense).Append(dense, rows) }

// Remove is Target(dense).Remove(dense, row).
func (t *Table) Remove(dense uint32, row *domain.Row) bool { return t.Target(dense).Remove(dense, row) }

// Load adds those of rows that were stored before, in any order, which count: how a table is
// filled at start. A brand that is large enough gets its columns at once.
func (t *Table) Load(dense uint32, rows []domain.Row) {
	kept := rows[:0]
	for i := range rows {
		if t.counting.Holds(&rows[i]) {
			kept = append(kept, rows[i])
		}
	}
	if rows = kept; len(rows) == 0 {
		return
	}
	c := t.Target(dense)
	if !c.own && int(*t.cell(dense))+len(rows) >= t.opt.Promote {
		c = t.promote(dense, rows[0].Brand)
	}
	t.extent.add(rows)
	c.add(dense, rows, true)
}

// Own calls f with the columns of every brand that has its own.
func (t *Table) Own(f func(*Columns)) {
	for _, c := range t.own {
		f(c)
	}
}

// Rest is the columns of all small brands.
func (t *Table) Rest() *Columns { return t.rest }

// Bytes is the memory that the newest rows take; views that are still held may
// hold older chunks beside it.
func (t *Table) Bytes() int {
	n := t.rest.Bytes() + len(t.cells)*(8+4*cellPage) + 24*(len(t.kinds.all.list)+len(t.kinds.visits.list))
	for _, c := range t.own {
		n += c.Bytes()
	}
	return n
}

// Stats is what the table has done since it was made.
func (t *Table) Stats() Stats { return t.stats }

// Commit publishes what was done since the last one. done, which may be nil, runs
// once, when the last holder of the new view releases it, on that one's goroutine.
func (t *Table) Commit(done func()) *View {
	for i := 0; i < len(t.dirty); i++ {
		t.dirty[i].settleLate()
	}
	for _, d := range t.due {
		if c := *t.cell(d.dense); c&ownBit == 0 && int(c) >= t.opt.Promote {
			t.promote(d.dense, d.id)
		}
	}
	t.due = t.due[:0]
	for _, c := range t.dirty {
		if c.publish() && c.own {
			t.sets.Set(c.slot, c.set, t.epoch)
		}
	}
	clear(t.dirty)
	t.dirty = t.dirty[:0]
	t.extent.committed = t.extent.seq
	v := &View{
		Version: t.epoch, Seq: t.extent.seq, Rest: t.rest.set, sets: t.sets, index: t.index, own: len(t.own), counting: t.counting,
		Kinds: t.kinds.all.list, VisitKinds: t.kinds.visits.list, members: t.extent.members, done: done,
	}
	v.refs.Store(1)
	t.epoch++
	if old := t.cur.Swap(v); old != nil {
		old.Release()
	}
	return v
}

// Acquire takes the newest view; Release it. Any goroutine.
func (t *Table) Acquire() *View {
	for {
		if v := t.cur.Load(); v.Acquire() {
			return v
		}
	}
}

// cell is the brand's cell.
func (t *Table) cell(dense uint32) *uint32 {
	k := int(dense / cellPage)
	if k >= len(t.cells) {
		t.cells = append(t.cells, make([][]uint32, k+1-len(t.cells))...)
	}
	if t.cells[k] == nil {
		t.cells[k] = make([]uint32, cellPage)
	}
	return &t.cells[k][dense%cellPage]
}

// grew counts n more rows of a brand of the pool.
func (t *Table) grew(dense uint32, n int, id domain.BrandID) {
	c := t.cell(dense)
	before := int(*c)
	*c += uint32(n)
	if int(*c) >= t.opt.Promote && before < t.opt.Promote {
		t.due = append(t.due, due{dense, id})
	}
}
