package core

import (
	"cmp"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// markEvery is how many offsets lie between the marks of the state hash. A mark is what
// all records below a multiple of it came to, and is made when the first record at or
// above it is met: so it does not hang on pages, micro-batches or commits (I6).
const markEvery = 1 << 16

// stateMarks puts the marks.
type stateMarks struct {
	store Marks
	every int64
	last  int64 // offset of the last one
}

// loadMarks finds which mark was the last. A store from before there were marks begins
// with the next one.
func loadMarks(store Marks, interval, next int64) (stateMarks, error) {
	interval = cmp.Or(interval, markEvery)
	last, err := store.Marked()
	return stateMarks{store, interval, max(last, (next-1)/interval*interval)}, err
}

// cut cuts records before the first one that needs a mark. Where they begin with
// it, the store notes the mark first: all records below are staged or committed.
func (m *stateMarks) cut(records []domain.Record) ([]domain.Record, error) {
	for len(records) > 0 && records[len(records)-1].Offset >= m.last+m.every {
		first := sort.Search(len(records), func(i int) bool { return records[i].Offset >= m.last+m.every })
		if first > 0 {
			return records[:first], nil
		}
		at := records[0].Offset / m.every * m.every
		if err := m.store.Mark(at); err != nil {
			return nil, err
		}
		m.last = at
	}
	return records, nil
}
