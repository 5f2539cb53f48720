package merging

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// sender sends steps to the shards of other members, and counts those by which rows change hands.
type sender struct{ *Config }

// send sends a step to the shard of a member.
func (s sender) send(account domain.AccountID, to domain.MemberID, l domain.Lend) {
	s.sendOf(&domain.Record{Account: account}, to, l)
}

// sendOf is send of a step that has the outcome of a record's request.
func (s sender) sendOf(r *domain.Record, to domain.MemberID, l domain.Lend) {
	l.Member = to
	s.forward(&domain.Record{Account: r.Account, Application: r.Application, BodyHash: r.BodyHash}, to, &l)
}

// forward sends a command to the shard of a member; r has its account.
func (s sender) forward(r *domain.Record, to domain.MemberID, c domain.Command) {
	r.Kind, r.Command = c.Kind(), c
	s.Effects.Send(&domain.Outgoing{To: to.Slot().Shard(s.Shards), Forward: r})
}

// countSent counts a step that is sent and by which rows count elsewhere or here again; countReceived
// counts one that has come.
func (s sender) countSent(to domain.MemberID) { s.handover(to, func(h *domain.Handover) { h.Sent++ }) }

func (s sender) countReceived(from domain.MemberID) {
	s.handover(from, func(h *domain.Handover) { h.Received++ })
}

func (s sender) handover(with domain.MemberID, count func(*domain.Handover)) {
	shard := with.Slot().Shard(s.Shards)
	all := slices.Clone(s.State.Handovers) // views have the old ones
	i, known := slices.BinarySearchFunc(all, shard, func(h domain.Handover, of int) int { return h.Shard - of })
	if !known {
		all = slices.Insert(all, i, domain.Handover{Shard: shard})
	}
	count(&all[i])
	s.State.Handovers = all
}

// setLoan sets what a member, or a shadow, knows of its loan; nil: it lends no more. clock is the shard's, 0
// where no rows change hands.
func (s sender) setLoan(k *members.Actor, loan *domain.Loan, clock int64) {
	s.Effects.Apply(k, func(m *member.State, dst []domain.Change) []domain.Change {
		return member.Lend(dst, m, loan, clock)
	})
}
