package shape

import (
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MergeDepths adds the shards' cells of one sounding, in the coarsest of their sizes. A
// nil part has no rows.
func MergeDepths(parts []*domain.Depths) *domain.Depths {
	out := &domain.Depths{}
	n := 0
	for _, p := range parts {
		if p != nil {
			out.Shift = max(out.Shift, p.Shift)
		}
	}
	same := make([]*domain.Depths, 0, len(parts))
	for _, p := range parts {
		if p != nil && len(p.Cells) > 0 {
			p = p.Coarser(out.Shift)
			same, n = append(same, p), max(n, len(p.Cells))
		}
	}
	out.Cells = make([]uint32, n)
	for _, p := range same {
		for i, c := range p.Cells {
			out.Cells[i] += c
		}
	}
	return out
}

// Cell is a part of a list: the rows of the ranks [From, To].
type Cell struct {
	From, To uint64
	Rows     uint64
	Ahead    uint64 // rows of the sounding that are listed before it
}

// CellAt is the cell of a sounding that holds the row at a place of it, from 0 on, in a
// list by rank ascending if up is set; of a list that ends before, the last with a row.
func CellAt(s *domain.Sounding, d *domain.Depths, up bool, place uint64) Cell {
	out, ahead := Cell{From: s.From, To: s.To}, uint64(0)
	for n := range d.Cells {
		i := n
		if !up {
			i = len(d.Cells) - 1 - n
		}
		rows := uint64(d.Cells[i])
		if rows == 0 {
			continue
		}
		out = Cell{From: s.From + uint64(i)<<d.Shift, To: s.To, Rows: rows, Ahead: ahead}
		if width := uint64(1)<<d.Shift - 1; out.From <= math.MaxUint64-width {
			out.To = min(s.To, out.From+width)
		}
		if ahead += rows; place < ahead {
			break
		}
	}
	return out
}
