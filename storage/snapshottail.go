package storage

import (
	"slices"
	"sort"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// snapshotTail is the tail of a snapshot. Its rows are put in order of their brands once,
// by the first who asks for rows that are on disk only.
type snapshotTail struct {
	lentTail
	once  sync.Once
	order *sorter // of the marks that count
}

var tailOrders = sync.Pool{New: func() any { return new(sorter) }}

// ownerOf is how brands are told from each other in the order.
func ownerOf(account domain.AccountID, brand domain.BrandID) uint64 {
	return uint64(account)<<32 | uint64(brand)
}

func (t *snapshotTail) sort() {
	t.order = tailOrders.Get().(*sorter)
	t.order.reset()
	dead := taken(t.marks)
	for i := range t.marks {
		if m := &t.marks[i]; !m.Flags.Dead() && !dead[m.Seq] {
			t.order.add(ownerOf(m.Account, m.Brand), m.Time, i)
		}
	}
	t.order.sort(func(i int32) uint64 { return t.marks[i].Seq })
}

// brand calls f with the places of the brand's rows, in order of (time, sequence), if
// there are any.
func (t *snapshotTail) brand(account domain.AccountID, brand domain.BrandID, f func(marks []format.Action, places []sortKey) error) error {
	t.once.Do(t.sort)
	keys, owner := t.order.keys, ownerOf(account, brand)
	keys = keys[sort.Search(len(keys), func(i int) bool { return keys[i].group >= owner }):]
	keys = keys[:sort.Search(len(keys), func(i int) bool { return keys[i].group > owner })]
	if len(keys) == 0 {
		return nil
	}
	return f(t.marks, keys)
}

// close gives the memory back.
func (t *snapshotTail) close(spare *sync.Pool) {
	if t.order != nil {
		tailOrders.Put(t.order)
	}
	t.release(spare)
}

// unsealed calls f with the rows of marks at some places, which are in order of time,
// that are of the range, a stripe at a time.
func (r *rowReader) unsealed(marks []format.Action, places []sortKey, f func(rows []domain.Row) error) error {
	places = places[sort.Search(len(places), func(i int) bool { return places[i].time >= r.span.From }):]
	places = places[:sort.Search(len(places), func(i int) bool { return places[i].time >= r.span.To })]
	for some := range slices.Chunk(places, format.Stripe) {
		rows := r.codec.Buffer()
		for _, p := range some {
			rows = append(rows, marks[p.i].ColumnRow())
		}
		if err := f(rows); err != nil {
			return err
		}
	}
	return nil
}
