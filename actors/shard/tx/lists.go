package tx

import "github.com/ovation-analytics/ovation/actors/domain"

// NextSequence is a sequence for what is no row.
func (t *Tx) NextSequence() uint64 {
	t.State.Shard.Sequence++
	return t.State.Shard.Sequence
}

// decideLists adds the memberships of followed lists that follow from what was staged.
func (t *Tx) decideLists() {
	for _, m := range t.State.Accounts.Decide(t.NextSequence, t.At.Clock) {
		t.Change(domain.Change{Kind: domain.MembershipPut, Value: &m})
	}
}
