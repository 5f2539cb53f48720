package timeline

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/internal/bloom"
)

// filters are those of the months that Seen is asked about. The two months of the clock always
// have one, older ones when they are asked about often and the budget has room. No answer
// depends on them.
type filters struct {
	budget int // bytes of the filters of months before the clock's two
	months []monthFilter
	latest domain.Month         // of the clock, as Seen was last asked
	asked  uint64               // questions so far
	misses map[domain.Month]int // questions about a month without a filter
	read   uint64               // of what prefetching read: no read may be left out
}

// monthFilter is the filter of a month: of all its rows, sealed or not.
type monthFilter struct {
	month domain.Month
	*bloom.Filter
	used uint64 // when it was asked last
}

// missesBeforeFilter is how many questions about an old month are answered by reading
// before it gets a filter.
const missesBeforeFilter = 64

// find is the month's filter; nil: it has none.
func (f *filters) find(m domain.Month) *monthFilter {
	for i := range f.months {
		if f.months[i].month == m {
			return &f.months[i]
		}
	}
	return nil
}

// wanted reports that a month without a filter should get one.
func (f *filters) wanted(m domain.Month, sealed uint64) bool {
	if f.recent(m) {
		return true
	}
	if sealed == 0 { // the tail alone has rows of it
		return false
	}
	f.misses[m]++
	return f.misses[m] >= missesBeforeFilter
}

// recent reports the clock's month, the one before, or a later one.
func (f *filters) recent(m domain.Month) bool { return m+1 >= f.latest }

// put adds a month's filter, and evicts those of old months that were asked least lately while
// they are over the budget; not this one.
func (f *filters) put(m domain.Month, x *bloom.Filter) {
	delete(f.misses, m)
	f.months = append(f.months, monthFilter{m, x, f.asked})
	for {
		old, oldest := 0, -1
		for i := range f.months {
			x := &f.months[i]
			if f.recent(x.month) {
				continue
			}
			old += x.Bytes()
			if x.month != m && (oldest < 0 || x.used < f.months[oldest].used) {
				oldest = i
			}
		}
		if old <= f.budget || oldest < 0 {
			return
		}
		f.months = slices.Delete(f.months, oldest, oldest+1)
	}
}

// bytes is the memory of all filters.
func (f *filters) bytes() (n int) {
	for i := range f.months {
		n += f.months[i].Bytes()
	}
	return n
}
