package shape

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeRankHistograms adds the shards' buckets of one query, in the coarsest of their sizes. A
// nil part has no rows.
func MergeRankHistograms(parts []*domain.RankHistogram) *domain.RankHistogram {
	out := &domain.RankHistogram{}
	n := 0
	for _, p := range parts {
		if p != nil {
			out.Shift = max(out.Shift, p.Shift)
		}
	}
	same := make([]*domain.RankHistogram, 0, len(parts))
	for _, p := range parts {
		if p != nil && len(p.Buckets) > 0 {
			p = p.Coarser(out.Shift)
			same, n = append(same, p), max(n, len(p.Buckets))
		}
	}
	out.Buckets = make([]uint32, n)
	for _, p := range same {
		for i, c := range p.Buckets {
			out.Buckets[i] += c
		}
	}
	return out
}

// Bucket is a part of a list: the rows of the ranks [From, To].
type Bucket struct {
	From, To uint64
	Rows     uint64
	Ahead    uint64 // rows of the histogram that are listed before it
}

// BucketAt is the bucket of a histogram that holds the row at a place of it, from 0 on, in a
// list by rank ascending if up is set; of a list that ends before, the last with a row.
func BucketAt(s *domain.HistogramQuery, d *domain.RankHistogram, up bool, place uint64) Bucket {
	out, ahead := Bucket{From: s.From, To: s.To}, uint64(0)
	for n := range d.Buckets {
		i := n
		if !up {
			i = len(d.Buckets) - 1 - n
		}
		rows := uint64(d.Buckets[i])
		if rows == 0 {
			continue
		}
		out = Bucket{From: s.From + uint64(i)<<d.Shift, To: s.To, Rows: rows, Ahead: ahead}
		if width := uint64(1)<<d.Shift - 1; out.From <= math.MaxUint64-width {
			out.To = min(s.To, out.From+width)
		}
		if ahead += rows; place < ahead {
			break
		}
	}
	return out
}
