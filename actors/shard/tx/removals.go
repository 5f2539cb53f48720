package tx

import "github.com/ovation-analytics/ovation/actors/domain"

// Remove says that an action or a member is no more, under the next sequence.
func (t *Tx) Remove(r domain.Removal) {
	r.Seq, r.At = t.NextSequence(), t.At.Clock
	t.Change(domain.Change{Kind: domain.RemovalPut, Value: &r})
}
