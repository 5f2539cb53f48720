package storage

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// monthFilter is the filter of a month: of all its marks, sealed or not.
type monthFilter struct {
	month domain.Month
	*filter
}

// missesBeforeFilter is how many questions about an old month are answered by reading
// before it gets a filter.
const missesBeforeFilter = 64

// seen finds the member's mark with that hash in the first of the months that has one. The
// answer does not depend on what is staged or sealed, or on filters.
func (t *timeline) seen(account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64) (format.Action, bool, error) {
	t.latest = max(t.latest, months[1])
	x := mix(account, ord, hash)
	for i, m := range months {
		if slices.Contains(months[:i], m) {
			continue
		}
		f, err := t.filter(m)
		if err != nil {
			return format.Action{}, false, err
		}
		if f != nil && !f.maybe(x) {
			continue
		}
		if m, found, err := t.byHash(format.AccountMonth{Account: account, Month: m}, ord, hash); found || err != nil {
			return m, found, err
		}
	}
	return format.Action{}, false, nil
}

// Approach reads what Seen, and the staging of a new row, will look at, of all rows
// side by side: one after the other each would wait for memory. Nothing changes.
func (s *Shard) Approach(rows []domain.Row) {
	t := s.line
	for i := range rows {
		r := &rows[i]
		month, x := domain.MonthOf(r.Time), mix(r.Account, r.Ord, r.Hash)
		for j := range t.filters {
			if f := &t.filters[j]; f.month == month {
				for p := range f.parts {
					t.near += uint64(f.parts[p].block(x)[0])
				}
				break
			}
		}
		t.near += uint64(*t.chain(r.Account, r.Ord))
		id, _ := s.members.get(r.Account, r.Ord)
		t.near += uint64(id)
	}
}

// byHash finds the member's mark of a month.
func (t *timeline) byHash(k format.AccountMonth, ord domain.Ordinal, hash uint64) (format.Action, bool, error) {
	for p := *t.chain(k.Account, ord); p != 0; p = t.prev[p-1] {
		if m := &t.tail[p-1]; m.Hash == hash && m.Ord == ord && m.Account == k.Account && m.Month == k.Month {
			return *m, true, nil
		}
	}
	if t.sealed[k].classes == 0 {
		return format.Action{}, false, nil
	}
	return t.stored(k, ord, func(b *format.Block, i int) bool { return b.HashAt(i) == hash })
}

// filter is the month's filter; nil where reading is as good. The two months asked about
// last by the clock always have one, older ones when they are asked about often and the
// budget has room.
func (t *timeline) filter(m domain.Month) (*filter, error) {
	t.asked++
	for i := range t.filters {
		if f := &t.filters[i]; f.month == m {
			f.used = t.asked
			return f.filter, nil
		}
	}
	if !t.recent(m) {
		if t.months[m] == 0 { // the tail alone has rows of it
			return nil, nil
		}
		if t.misses[m]++; t.misses[m] < missesBeforeFilter {
			return nil, nil
		}
	}
	f, err := t.build(m)
	if err != nil {
		return nil, err
	}
	delete(t.misses, m)
	t.filters = append(t.filters, monthFilter{m, f})
	t.evict(m)
	return f, nil
}

// recent reports the clock's month, the one before, or a later one.
func (t *timeline) recent(m domain.Month) bool { return m+1 >= t.latest }

// build makes the filter of a month from what is stored, with room for as many rows
// as this month or the last one has.
func (t *timeline) build(m domain.Month) (*filter, error) {
	f := newFilter(int(max(t.months[m], t.months[m-1])) + t.seal/2)
	f.used = t.asked
	err := scanMonths(t.db, format.FamilyTimeline, t.shard, uint16(m), uint16(m), func(k, v []byte) error {
		g, _, err := format.ParseTimelineKey(k)
		if err != nil {
			return err
		}
		return format.EachBlock(v, func(b *format.Block) error {
			return b.Each(func(i int, ord domain.Ordinal) { f.add(mix(g.Account, ord, b.HashAt(i))) })
		})
	})
	for i := range t.tail {
		if r := &t.tail[i]; r.Month == m {
			f.add(mix(r.Account, r.Ord, r.Hash))
		}
	}
	return f, err
}

// evict drops the filters of old months that were asked least lately while they are
// over the budget; not the one of keep.
func (t *timeline) evict(keep domain.Month) {
	for {
		old, oldest := 0, -1
		for i := range t.filters {
			f := &t.filters[i]
			if t.recent(f.month) {
				continue
			}
			old += f.bytes()
			if f.month != keep && (oldest < 0 || f.used < t.filters[oldest].used) {
				oldest = i
			}
		}
		if old <= t.budget || oldest < 0 {
			return
		}
		t.filters = slices.Delete(t.filters, oldest, oldest+1)
	}
}

// filterBytes is the memory of all filters.
func (t *timeline) filterBytes() (n int) {
	for i := range t.filters {
		n += t.filters[i].bytes()
	}
	return n
}
