package domain

import "math/bits"

// Sounding asks how deep the rows of a list lie: not for rows, but for how many have a
// rank in each part of [From, To]. A feed's rank is the second of completion, a
// leader's what leaders are ordered by.
type Sounding struct {
	Of       Shape // the list: ShapeFeed by Question.Listing, ShapeLeaders by Question.Top
	From, To uint64
	Among    *uint64 // of leaders: only those of this rank, by their ids in [From, To]
}

// MaxCells is the most parts that a sounding has.
const MaxCells = 1 << 14

// Depths is how many rows lie in each cell of a sounding: the i-th holds ranks from
// From + i<<Shift to the next, cells without a row at the end are left out.
type Depths struct {
	Shift uint8
	Cells []uint32
}

// NewDepths has cells that reach from the sounding's From to the greatest rank met,
// which is not below it.
func NewDepths(from, greatest uint64) *Depths {
	d := &Depths{Shift: uint8(max(0, bits.Len64(greatest-from)-bits.Len64(MaxCells-1)))}
	d.Cells = make([]uint32, (greatest-from)>>d.Shift+1)
	return d
}

// Coarser is the same with cells of 1<<shift, which is not less than it has; d itself
// where that is its own.
func (d *Depths) Coarser(shift uint8) *Depths {
	if shift == d.Shift {
		return d
	}
	by := shift - d.Shift
	out := &Depths{Shift: shift}
	if n := len(d.Cells); n > 0 {
		out.Cells = make([]uint32, (n-1)>>by+1)
	}
	for i, c := range d.Cells {
		out.Cells[i>>by] += c
	}
	return out
}
