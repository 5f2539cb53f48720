package rows

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
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

// OrNil is nil where c says nothing of an ordinal: its rows count as its own.
func (c *Counted) OrNil(ord domain.Ordinal) *Counted {
	if c.As == ord && !c.Hidden && len(c.Covered) == 0 && len(c.Shadows) == 0 {
		return nil
	}
	return c
}

// Count says as whose the rows of an ordinal count from the next commit on; nil: as its own. Rows
// that are in the table are the caller's to take out and to put in.
func (t *Table) Count(ord domain.Ordinal, c *Counted) { t.counted.Set(uint32(ord), c, t.epoch) }

// Counted is what Count said last.
func (t *Table) Counted(ord domain.Ordinal) *Counted { return t.counted.Get(uint32(ord)) }

// Counts reports that a row counts as the table is now, and makes its ordinal that of the member
// as whose it does.
func (t *Table) Counts(r *domain.Row) bool { return t.counted.counts(r) }

// counts is Counts.
func (a *countedRows) counts(r *domain.Row) bool {
	if c := a.Get(uint32(r.Ord)); c != nil {
		if !c.holds(r.Seq) {
			return false
		}
		r.Ord = c.As
	}
	return true
}

// Hidden reports that the rows of an ordinal count nowhere.
func (v *View) Hidden(ord domain.Ordinal) bool {
	c := v.counted.Get(uint32(ord))
	return c != nil && c.Hidden
}

// Shadows are the ordinals whose rows count as a member's own, beside them.
func (v *View) Shadows(ord domain.Ordinal) []domain.Ordinal {
	if c := v.counted.Get(uint32(ord)); c != nil {
		return c.Shadows
	}
	return nil
}
