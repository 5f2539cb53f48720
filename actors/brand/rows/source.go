package rows

import (
	"errors"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Cold is a brand whose rows are on disk only.
type Cold struct {
	Dense uint32
	Brand domain.BrandID
}

// ErrCold is the error of a question that reads a cold brand and was given no Source.
var ErrCold = errors.New("rows: the rows are on disk only")

// Source reads the living rows of a cold brand as of the view's commit and calls f
// with stretches of them, in any order; at least those of the range. f
// does not keep the slice.
type Source func(b Cold, in domain.Range, f func(rows []domain.Row)) error

// Read has f called with the rows of a cold set in a range, or more, as they are stored. Those of the
// view are for Holds to tell. Where there is none in the range nothing is read.
func (s *Set) Read(from Source, in domain.Range, f func(rows []domain.Row)) error {
	if from == nil {
		return ErrCold
	}
	if !s.Outline.Has(in) {
		return nil
	}
	return from(Cold{s.Dense, s.ID}, in, f)
}

// Apart reports that a row from disk counts nowhere at the view's commit, though it lives.
func (v *View) Apart(r *domain.Row) bool {
	c := v.counting.Of(r.Ord)
	return !r.Flags.Dead() && c != nil && !c.holds(r.Seq)
}

// Holds reports that a row from disk counts at the view's commit, and makes its ordinal that of the
// member as whose it does; then one of a shadow has the flag Copied. A row of a member that the view does not know is of a later commit.
func (v *View) Holds(r *domain.Row) bool {
	return !r.Flags.Dead() && r.Seq <= v.Seq && v.counting.Holds(r) && uint32(r.Ord) < v.members
}
