package domain

import "math/bits"

// HistogramQuery asks how many rows of a list have a rank in each part of [From, To]. A feed's
// rank is the second of completion, a leader's what leaders are ordered by.
type HistogramQuery struct {
	Of       Shape // the list: ShapeFeed by Question.Listing, ShapeLeaders by Question.Top
	From, To uint64
	Among    *uint64 // of leaders: only those of this rank, by their ids in [From, To]
}

// MaxBuckets is the most buckets that a histogram has.
const MaxBuckets = 1 << 14

// RankHistogram is the number of rows in each bucket: the i-th holds ranks from
// From + i<<Shift to the next, buckets without a row at the end are left out.
type RankHistogram struct {
	Shift   uint8
	Buckets []uint32
}

// NewRankHistogram has buckets that reach from the query's From to the greatest rank met,
// which is not below it.
func NewRankHistogram(from, greatest uint64) *RankHistogram {
	d := &RankHistogram{Shift: uint8(max(0, bits.Len64(greatest-from)-bits.Len64(MaxBuckets-1)))}
	d.Buckets = make([]uint32, (greatest-from)>>d.Shift+1)
	return d
}

// Coarser is the same with buckets of 1<<shift, which is not less than it has; d itself
// where that is its own.
func (d *RankHistogram) Coarser(shift uint8) *RankHistogram {
	if shift == d.Shift {
		return d
	}
	by := shift - d.Shift
	out := &RankHistogram{Shift: shift}
	if n := len(d.Buckets); n > 0 {
		out.Buckets = make([]uint32, (n-1)>>by+1)
	}
	for i, c := range d.Buckets {
		out.Buckets[i>>by] += c
	}
	return out
}
