package member

import "github.com/ovation-analytics/ovation/actors/domain"

// Delete takes an action of the member out for ever, outside of any run; row is what its past holds of it.
// Of a one-time action the pair is closed: no other action of it counts, whatever came
// before or comes later. It is false where the row counts nothing: it was deleted
// before, an earlier one took its place, or it is a visit.
func (s *State) Delete(dst []domain.Change, row domain.Row) ([]domain.Change, bool) {
	if row.Flags.Dead() || row.Definition < domain.FirstDefinition {
		return dst, false
	}
	if row.Flags&domain.OneTimeRow != 0 {
		closed := pairOf(&row)
		closed.Deleted = true
		dst = s.keep(dst, closed)
	}
	row.Flags |= domain.Deleted
	return append(dst, domain.Change{Kind: domain.RowTaken, Row: row}), true
}
