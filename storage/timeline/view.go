package timeline

import (
	"slices"
	"sort"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/rowsort"
)

// View is a tail as of a commit. Any goroutine may read it. Its rows are put in order of their
// brands once, by the first who asks for rows that are on disk only.
type View struct {
	*memory
	spare    *Memory
	actions  []format.Action
	contents []content
	bytes    []byte
	once     sync.Once
	order    *rowsort.Sorter // of the actions that count
}

// View is the tail as of the last commit. It is released once.
func (t *Tail) View() *View {
	t.users.Add(1)
	return &View{
		memory: t.memory, spare: t.spare,
		actions: t.actions[:t.committed], contents: t.contents, bytes: t.bytes,
	}
}

var orders = sync.Pool{New: func() any { return new(rowsort.Sorter) }}

// ownerOf is the group of a brand in the order.
func ownerOf(account domain.AccountID, brand domain.BrandID) uint64 {
	return uint64(account)<<32 | uint64(brand)
}

func (v *View) sort() {
	v.order = orders.Get().(*rowsort.Sorter)
	v.order.Reset()
	deleted := format.Deleted(v.actions)
	for i := range v.actions {
		if a := &v.actions[i]; !a.Flags.Dead() && !deleted[a.Seq] {
			v.order.Add(ownerOf(a.Account, a.Brand), a.Time, i)
		}
	}
	v.order.Sort(func(i int32) uint64 { return v.actions[i].Seq })
}

// keys are the places of the brand's rows that count, in order of (time, sequence).
func (v *View) keys(account domain.AccountID, brand domain.BrandID) []rowsort.Key {
	v.once.Do(v.sort)
	keys, owner := v.order.Keys, ownerOf(account, brand)
	keys = keys[sort.Search(len(keys), func(i int) bool { return keys[i].Group >= owner }):]
	return keys[:sort.Search(len(keys), func(i int) bool { return keys[i].Group > owner })]
}

// Rows calls f with the brand's rows of the range, in order, and at most cap(buffer) at a time.
// The rows are f's only until it returns.
func (v *View) Rows(
	account domain.AccountID, brand domain.BrandID, r domain.Range, buffer []domain.Row, f func(rows []domain.Row) error,
) error {
	keys := v.keys(account, brand)
	keys = keys[sort.Search(len(keys), func(i int) bool { return keys[i].Time >= r.From }):]
	keys = keys[:sort.Search(len(keys), func(i int) bool { return keys[i].Time >= r.To })]
	for some := range slices.Chunk(keys, cap(buffer)) {
		buffer = buffer[:0]
		for _, k := range some {
			buffer = append(buffer, v.actions[k.I].ColumnRow())
		}
		if err := f(buffer); err != nil {
			return err
		}
	}
	return nil
}

// Count is how many rows a brand has in the months.
func (v *View) Count(account domain.AccountID, brand domain.BrandID, first, last domain.Month) (rows uint64) {
	for _, k := range v.keys(account, brand) {
		if a := &v.actions[k.I]; a.Month >= first && a.Month <= last {
			rows++
		}
	}
	return rows
}

// AppendMember appends the actions of a member in the months.
func (v *View) AppendMember(
	dst []format.Action, account domain.AccountID, ord domain.Ordinal, first, last domain.Month,
) []format.Action {
	for i := range v.actions {
		if a := &v.actions[i]; a.Ord == ord && a.Account == account && a.Month >= first && a.Month <= last {
			dst = append(dst, *a)
		}
	}
	return dst
}

// Contents calls f with the contents of a brand's actions in the range, of those deleted too. The entry is another one once
// f returns.
func (v *View) Contents(
	account domain.AccountID, brand domain.BrandID, r domain.Range, f func(e *format.Entry, at domain.Second) error,
) error {
	var e format.Entry // one for all: it escapes
	for i := range v.contents {
		c := &v.contents[i]
		if c.brand != brand || !c.any || c.account != account || c.time < r.From || c.time >= r.To {
			continue
		}
		e = format.Entry{Seq: c.seq, Recorded: c.recorded, Text: v.bytes[c.from : c.from+c.n]}
		if err := f(&e, c.time); err != nil {
			return err
		}
	}
	return nil
}

// Release gives the view up.
func (v *View) Release() {
	if v.order != nil {
		orders.Put(v.order)
	}
	v.spare.release(v.memory)
}
