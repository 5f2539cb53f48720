package contents

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/records"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// View reads the contents of a shard's actions as of a commit. A block of c or C is read once for
// all rows that are in it, front to back, and no other. Any goroutine.
type View struct {
	db      pebble.Reader
	shard   uint16
	records records.Set
	tail    *timeline.View
	filters *Filters
	seals   uint64 // of the shard, until then
}

// NewView reads by a snapshot and the tail as of the same commit.
func NewView(db pebble.Reader, shard uint16, tail *timeline.View, filters *Filters) View {
	return View{db, shard, records.New(db, shard), tail, filters, filters.Seals(shard)}
}

// RawContents calls f for each of the rows that is stored, in any order: when it was
// recorded, and its content, which is f's only until it returns. Account, Brand, Time
// and Seq of a row are looked at.
func (v *View) RawContents(rows []domain.Row, f func(i int, recorded int64, content []byte)) error {
	_, err := v.Read(rows, func(i int, e *format.Entry) error {
		content, err := e.Content()
		if err == nil {
			f(i, int64(e.Recorded), content)
		}
		return err
	})
	return err
}

// Contents is the content of each of the rows; nil where the row is not
// stored, or counts no more. Account, Brand, Time and Seq are looked at.
func (v *View) Contents(rows []domain.Row) ([]*domain.Content, error) {
	out := make([]*domain.Content, len(rows))
	_, err := v.Read(rows, func(i int, e *format.Entry) (err error) {
		out[i], err = e.Decode()
		return err
	})
	return out, err
}

// reader finds the entries of rows.
type reader struct {
	*View
	codec format.ContentCodec
	rows  []domain.Row
	found []bool
	f     func(i int, e *format.Entry) error
	it    *pebble.Iterator // nil: nothing is asked yet
	key   []byte
	seek  []byte
	read  int // bytes of blocks
}

// Read calls f with the entry of each row that has one, and says how many bytes of blocks it
// read.
func (v *View) Read(rows []domain.Row, f func(i int, e *format.Entry) error) (bytes int, err error) {
	r := &reader{View: v, rows: rows, found: make([]bool, len(rows)), f: f}
	err = errors.Join(r.find(), r.close())
	return r.read, err
}

func (r *reader) find() error {
	rows, order := r.rows, make([]int, len(r.rows))
	for i := range order {
		order[i] = i
	}
	if err := r.unsealed(order); err != nil {
		return err
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &rows[a], &rows[b]
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Brand, y.Brand), cmp.Compare(x.Time, y.Time))
	})
	for len(order) > 0 {
		first := &rows[order[0]]
		n := 1
		for n < len(order) && rows[order[n]].Account == first.Account && rows[order[n]].Brand == first.Brand {
			n++
		}
		if err := r.brand(order[:n]); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// unsealed reads what is not sealed. It changes the order.
func (r *reader) unsealed(order []int) error {
	r.bySequence(order)
	return r.blocks(format.AppendShard(nil, format.FamilyTailContent, r.shard), order)
}

func (r *reader) bySequence(order []int) {
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.rows[a].Seq, r.rows[b].Seq) })
}

// brand reads the rows of one brand, which are in order of time.
func (r *reader) brand(order []int) error {
	first := &r.rows[order[0]]
	ts, err := r.records.RowCounts(first.Account, first.Brand)
	if err != nil {
		return err
	}
	for len(order) > 0 {
		k := format.BrandMonth{Account: first.Account, Brand: first.Brand, Month: domain.MonthOf(r.rows[order[0]].Time)}
		next := (k.Month + 1).Start()
		n := sort.Search(len(order), func(i int) bool { return r.rows[order[i]].Time >= next })
		for class := format.Classes - 1; class >= 0; class-- { // the later rows have the finer one
			if !slices.ContainsFunc(ts, func(t format.Tally) bool { return t.Month == k.Month && int(t.Class) == class }) {
				continue
			}
			if err := r.month(k, uint8(class), order[:n]); err != nil {
				return err
			}
		}
		order = order[n:]
	}
	return nil
}

// month reads those of a month's rows that are under keys of the class. The order
// of rows of one slot is changed.
func (r *reader) month(k format.BrandMonth, class uint8, order []int) error {
	start := k.Month.Start()
	slot := func(i int) uint16 { return format.SlotOf(class, start, r.rows[i].Time) }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(slot(a), slot(b)), cmp.Compare(r.rows[a].Seq, r.rows[b].Seq))
	})
	for len(order) > 0 {
		at, n := slot(order[0]), 1
		for n < len(order) && slot(order[n]) == at {
			n++
		}
		r.key = format.AppendRowKey(r.key[:0], format.FamilyContent, r.shard, k, class, at)
		if err := r.blocks(r.key, order[:n]); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// blocks reads those of the rows, which are in order of sequence, that are in blocks
// whose keys have the prefix: of each row that is not found yet the one block that may
// have it.
func (r *reader) blocks(prefix []byte, order []int) error {
	if r.it == nil {
		it, err := r.db.NewIter(nil)
		if err != nil {
			return err
		}
		r.it = it
	}
	r.it.SetBounds(prefix, format.PrefixEnd(prefix))
	give := r.give
	for {
		for len(order) > 0 && r.found[order[0]] {
			order = order[1:]
		}
		if len(order) == 0 {
			return nil
		}
		seq := r.rows[order[0]].Seq
		r.seek = format.AppendBlockBound(r.seek[:0], prefix, seq)
		if r.it.SeekLT(r.seek) {
			v, err := r.it.ValueAndErr()
			if err != nil {
				return err
			}
			r.read += len(v)
			last, err := r.codec.Find(v, r.rows, order, give)
			if err != nil {
				return err
			}
			seq = max(seq, last)
		}
		if err := r.it.Error(); err != nil {
			return err
		}
		for len(order) > 0 && r.rows[order[0]].Seq <= seq {
			order = order[1:]
		}
	}
}

func (r *reader) close() error {
	if r.it == nil {
		return nil
	}
	return r.it.Close()
}

func (r *reader) give(i int, e *format.Entry) error {
	if r.found[i] {
		return nil
	}
	r.found[i] = true
	return r.f(i, e)
}
