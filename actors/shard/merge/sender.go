package merge

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// send sends a step to the shard of a member.
func send(t *tx.Tx, account domain.AccountID, to domain.MemberID, l domain.Lend) {
	sendOf(t, &domain.Record{Account: account}, to, l)
}

// sendOf is send of a step that has the outcome of a record's request.
func sendOf(t *tx.Tx, r *domain.Record, to domain.MemberID, l domain.Lend) {
	l.Member = to
	forward(t, &domain.Record{
		Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Nonce: r.Nonce,
	}, to, &l)
}

// forward sends a command to the shard of a member; r has its account.
func forward(t *tx.Tx, r *domain.Record, to domain.MemberID, c domain.Command) {
	r.Kind, r.Command = c.Kind(), c
	t.Forward(to, r)
}

// countSent counts a step that is sent and by which rows count elsewhere or here again; countReceived
// counts one that has come.
func countSent(t *tx.Tx, to domain.MemberID) { handover(t, to, func(h *domain.Handover) { h.Sent++ }) }

func countReceived(t *tx.Tx, from domain.MemberID) {
	handover(t, from, func(h *domain.Handover) { h.Received++ })
}

func handover(t *tx.Tx, with domain.MemberID, count func(*domain.Handover)) {
	shard := with.Slot().Shard(t.State.Shards)
	all := slices.Clone(t.State.Shard.Handovers) // views have the old ones
	i, known := slices.BinarySearchFunc(all, shard, func(h domain.Handover, of int) int { return h.Shard - of })
	if !known {
		all = slices.Insert(all, i, domain.Handover{Shard: shard})
	}
	count(&all[i])
	t.State.Shard.Handovers = all
}

// setLoan sets what a member, or a shadow, knows of its loan; nil: it lends no more. clock is the shard's, 0
// where no rows change hands.
func setLoan(t *tx.Tx, m *members.Member, loan *domain.Loan, clock int64) {
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		return member.Lend(dst, s, loan, clock)
	})
}
