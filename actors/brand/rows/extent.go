package rows

import "github.com/ovation-analytics/ovation/actors/domain"

// extent is how far the rows of a table reach.
type extent struct {
	seq       uint64 // the highest sequence
	committed uint64 // the highest of the last commit
	members   uint32 // every ordinal is below
}

// add extends it by rows and returns their lowest sequence.
func (e *extent) add(rows []domain.Row) (low uint64) {
	low = rows[0].Seq
	for i := range rows {
		r := &rows[i]
		low = min(low, r.Seq)
		e.seq = max(e.seq, r.Seq)
		e.members = max(e.members, uint32(r.Ord)+1)
	}
	return low
}
