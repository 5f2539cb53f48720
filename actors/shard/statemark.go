package shard

import (
	"cmp"
	"sort"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// markEvery is how many offsets lie between the marks of the state hash. A mark is what
// all records below a multiple of it came to, and is made when the first record at or
// above it is met: so it does not hang on pages, micro-batches or commits (I6).
const markEvery = 1 << 16

// unmarked cuts records before the first one that needs a mark. Where they begin with
// it, the store notes the mark first: all records below are staged or committed.
func (s *shard) unmarked(records []domain.Record) ([]domain.Record, error) {
	every := cmp.Or(s.env.MarkEvery, markEvery)
	for len(records) > 0 && records[len(records)-1].Offset >= s.marked+every {
		first := sort.Search(len(records), func(i int) bool { return records[i].Offset >= s.marked+every })
		if first > 0 {
			return records[:first], nil
		}
		at := records[0].Offset / every * every
		if err := s.store.Mark(at); err != nil {
			return nil, err
		}
		s.marked = at
	}
	return records, nil
}

// loadMarked finds which mark was the last. A store from before there were marks begins
// with the next one.
func (s *shard) loadMarked() (err error) {
	s.marked, err = s.store.Marked()
	every := cmp.Or(s.env.MarkEvery, markEvery)
	s.marked = max(s.marked, (s.state.Next-1)/every*every)
	return err
}
