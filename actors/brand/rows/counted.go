package rows

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/cow"
)

// Counted says as whose the rows of an ordinal count. What is stored of them stays as it is.
type Counted struct {
	As      domain.Ordinal   // itself, or the member that it is a shadow for
	Hidden  bool             // they count nowhere
	Covered []uint64         // ascending sequences of those that count nowhere
	Shadows []domain.Ordinal // of a member: whose rows count as its own, beside them
}

// holds reports that a row counts.
func (c *Counted) holds(seq uint64) bool {
	if c.Hidden {
		return false
	}
	_, covered := slices.BinarySearch(c.Covered, seq)
	return !covered
}

// Counting is as whose the rows of each ordinal count; a nil entry: as its own.
type Counting struct {
	of    cow.Array[*Counted]
	epoch *uint64 // of the table
}

// Of is what was set last of an ordinal; nil: its rows count as its own.
func (n *Counting) Of(ord domain.Ordinal) *Counted { return n.of.Get(uint32(ord)) }

// Holds reports that a row counts as the table is now, and makes its ordinal that of the member as
// whose it does; then one of a shadow has the flag Copied.
func (n *Counting) Holds(r *domain.Row) bool {
	if c := n.of.Get(uint32(r.Ord)); c != nil {
		if !c.holds(r.Seq) {
			return false
		}
		if c.As != r.Ord {
			r.Flags |= domain.Copied
		}
		r.Ord = c.As
	}
	return true
}

// Set says as whose the rows of an ordinal count from the next commit on; Shadows is not looked at.
// Rows that are in the table are the caller's to take out and to put in.
func (n *Counting) Set(ord domain.Ordinal, c Counted) {
	c.Shadows = nil
	if old := n.Of(ord); old != nil {
		c.Shadows = old.Shadows
		if old.As != ord {
			n.setShadow(old.As, ord, false)
		}
	}
	if c.As != ord {
		n.setShadow(c.As, ord, !c.Hidden)
	}
	n.put(ord, c)
}

// setShadow notes at a member that an ordinal is a shadow for it, or is not.
func (n *Counting) setShadow(of, shadow domain.Ordinal, is bool) {
	c := Counted{As: of}
	if old := n.Of(of); old != nil {
		c = *old
	}
	c.Shadows = slices.DeleteFunc(slices.Clone(c.Shadows), func(o domain.Ordinal) bool { return o == shadow })
	if is {
		c.Shadows = append(c.Shadows, shadow)
	}
	n.put(of, c)
}

func (n *Counting) put(ord domain.Ordinal, c Counted) {
	if c.As == ord && !c.Hidden && len(c.Covered) == 0 && len(c.Shadows) == 0 {
		n.of.Set(uint32(ord), nil, *n.epoch)
		return
	}
	n.of.Set(uint32(ord), &c, *n.epoch)
}
