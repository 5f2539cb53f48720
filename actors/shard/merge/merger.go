package merge

import (
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// Stats counts what a Merger did in this process. One goroutine writes, any reads.
type Stats struct {
	Merged   atomic.Int64 // members into one of the shard
	Unmerged atomic.Int64 // merges taken back by a command
	Withheld atomic.Int64 // changed records of merged members that are too large for the survivor's shard
}

// Merger has part in the merges of a shard's members. It belongs to the shard's goroutine.
type Merger struct {
	groups    *groups
	loans     *loans
	lenders   lenders
	borrowers borrowers
}

// New is the merger of a shard without merges.
func New(stats *Stats) *Merger {
	g := &groups{
		counted: map[member.Place]member.Place{}, shadowsOf: map[member.Place][]member.Place{},
		pairs: map[member.Place]map[pair]uint64{},
	}
	l := &loans{
		groups: g, byMember: map[member.Place]domain.Loan{}, depths: newDepths(), unsent: map[member.Place]unsent{}, stats: stats,
	}
	return &Merger{
		groups: g, loans: l, lenders: lenders{groups: g, loans: l},
		borrowers: borrowers{groups: g, loans: l, shadows: map[lender]member.Place{}, stats: stats},
	}
}

// Involved reports that what changes of a member has to be followed record by record.
func (m *Merger) Involved(at member.Place) bool {
	if m.idle() {
		return false
	}
	_, lends := m.loans.byMember[at]
	return lends || len(m.groups.shadowsOf[at]) > 0
}

// Depth is how many merges are below a member of the shard, at most, that is merged into another: as many as
// there were when it was.
func (m *Merger) Depth() int { return m.loans.depths.deepest() }

// DepthOf is Depth of the members of one account; of an account without merges it is 0.
func (m *Merger) DepthOf(account domain.AccountID) int { return m.loans.depths.deepestOf(account) }

// idle reports that no member of the shard has part in a merge.
func (m *Merger) idle() bool { return len(m.loans.byMember)+len(m.groups.shadowsOf) == 0 }

// Merge begins to merge a member into an active one.
func (m *Merger) Merge(t *tx.Tx, r *domain.Record, of *members.Member, c *domain.MergeMembers) error {
	return m.borrowers.merge(t, r, of, c)
}

// Unmerge takes a merge into an active member back: the lender's rows count at home again, and the shadow is
// swept.
func (m *Merger) Unmerge(t *tx.Tx, r *domain.Record, of *members.Member, c *domain.UnmergeMember) error {
	return m.borrowers.unmerge(t, r, of, c)
}

// Lend applies a step of a merge.
func (m *Merger) Lend(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	switch l.Step {
	case domain.LendAsk:
		return m.lenders.ask(t, r, l)
	case domain.LendNext:
		return m.lenders.next(t, r, l)
	case domain.LendReturn:
		return m.lenders.takeBack(t, r, l)
	case domain.LendRefused:
		return m.borrowers.refused(t, r, l)
	case domain.LendErased:
		return m.borrowers.lenderErased(t, r, l)
	case domain.LendRows:
		return m.borrowers.borrow(t, r, l)
	}
	return fmt.Errorf("merge: no step %d of a merge", l.Step)
}

// SetAside follows a step that cannot be applied. One by which rows change hands counts as one that was, or
// every answer would wait for it. The merge ends: its borrower is sent a refusal, which completes the request
// that waits and gives back what the lender has lent. All of it is sent, and nothing done here: what is done
// may be what failed.
func (m *Merger) SetAside(t *tx.Tx, r *domain.Record, l *domain.Lend) {
	refusal := domain.Lend{Step: domain.LendRefused, Other: l.Other, Ticket: l.Ticket, Code: domain.Internal}
	switch l.Step {
	case domain.LendReturn: // the member stays lent until the same borrower asks for it again
		countReceived(t, l.Other)
		completeAsked(t, r, l, domain.Failed(errStep))
	case domain.LendAsk, domain.LendNext:
		refusal.Other = l.Member
		send(t, r.Account, l.Other, refusal)
	case domain.LendErased:
		if !l.Last {
			again := *l
			again.Last = true
			send(t, r.Account, l.Member, again)
		}
	default:
		if l.Last {
			countReceived(t, l.Other)
		}
		if l.Code != domain.Internal {
			send(t, r.Account, l.Member, refusal)
		}
	}
}

// errStep is the error of a request whose merge, or whose end of one, cannot be applied.
var errStep = domain.Fail(domain.Internal, "a step of the merge cannot be applied")

// OptOut opts out the members merged into one that opts out: those that it knows to be opted in.
func (m *Merger) OptOut(t *tx.Tx, r *domain.Record, of *domain.Member, o domain.Opt, at int64) {
	for _, lender := range member.OptedLenders(of, o) {
		c := &domain.OptOut{Member: lender, Opt: o, At: at}
		forward(t, &domain.Record{Account: r.Account}, lender, c)
	}
}

// Follow follows changes that are staged: one-time actions are covered again, and what changed of a
// lender is sent to its borrower.
func (m *Merger) Follow(t *tx.Tx, changes []domain.Change) error {
	if m.idle() {
		return nil
	}
	m.loans.followTaken(t, changes) // what is covered by now was lent before
	turned, err := m.groups.follow(t, changes)
	if err != nil {
		return err
	}
	if err := m.loans.lendTurned(t, turned); err != nil {
		return err
	}
	m.loans.follow(t, changes)
	return nil
}

// SendLent sends what a record has changed of lenders, once all that it changes is staged and followed.
func (m *Merger) SendLent(t *tx.Tx) error {
	m.loans.sendLent(t)
	return t.Flush()
}

// Release ends what a member that is about to be erased has part in: those merged into it are erased,
// too, and the one that it is merged into hears of it.
func (m *Merger) Release(t *tx.Tx, r *domain.Record, of *members.Member, at int64) error {
	if err := m.borrowers.release(t, r, of, at); err != nil {
		return err
	}
	return m.lenders.release(t, r, of)
}

// Erased follows the erasure of a member: it has no rows.
func (m *Merger) Erased(t *tx.Tx, of *members.Member) { m.groups.erased(t, of.Place()) }
