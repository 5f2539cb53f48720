package merging

import (
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Effects is what applying a record does in the shard, beside its members.
type Effects interface {
	// Change adds a change to those of the micro-batch; Apply has a member add its own.
	Change(domain.Change)
	Apply(k *members.Actor, w members.Work)
	// Send puts an entry into the outbox.
	Send(*domain.Outgoing)
	// NewRecord has the next sequence of the shard.
	NewRecord(domain.Slot) uint64
	// Clock is the shard's, ms since 1970.
	Clock() int64
	// Complete is the outcome of the request that waits for the record, Await that a later
	// record of the member has it.
	Complete(r *domain.Record, out domain.Outcome)
	Await(r *domain.Record, id domain.MemberID)
	// ForwardOutcome says that another shard has the outcome.
	ForwardOutcome(r *domain.Record, to int, id domain.MemberID)
	// BodyOf is the hash of a request's body, 0 where the request is not known.
	BodyOf(domain.RequestID) uint64
}

// Shard stages the changes made so far.
type Shard interface {
	Stage() error
}

// Members finds the members that commands name.
type Members interface {
	// Active is the actor of an active member; nil: the command is completed, there is none.
	Active(r *domain.Record, id domain.MemberID) (*members.Actor, error)
}

// Stats counts what a Merger did in this process. One goroutine writes, any reads.
type Stats struct {
	Merged   atomic.Int64 // members into one of the shard
	Unmerged atomic.Int64 // merges taken back by a command
	Withheld atomic.Int64 // changed records of merged members that are too large for the survivor's shard
}

// Config is what a Merger is given.
type Config struct {
	Effects  Effects
	Shard    Shard
	State    *domain.ShardState
	Store    members.Store
	Loaded   *members.Loaded
	Roster   *member.Roster
	Accounts *accounts.Accounts
	Shards   int
	Stats    *Stats
}

// Merger has part in the merges of a shard's members. It belongs to the shard's goroutine.
type Merger struct {
	Members Members // set before anything is applied

	groups    *groups
	loans     *loans
	lenders   lenders
	borrowers borrowers
}

// New is the merger of a shard.
func New(c Config) *Merger {
	out := sender{&c}
	g := &groups{Config: &c, counted: map[member.Place]member.Place{}, shadowsOf: map[member.Place][]member.Place{}, pairs: map[member.Place]map[pair]uint64{}}
	l := &loans{sender: out, groups: g, byMember: map[member.Place]domain.Loan{}, depths: newDepths(), unsent: map[member.Place]unsent{}}
	g.covers = l.covered
	return &Merger{
		groups: g, loans: l, lenders: lenders{sender: out, groups: g, loans: l},
		borrowers: borrowers{sender: out, groups: g, loans: l, shadows: map[lender]member.Place{}},
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

// Merge begins to merge a member into another.
func (m *Merger) Merge(r *domain.Record, c *domain.MergeMembers) error {
	k, err := m.Members.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	return m.borrowers.merge(r, k, c)
}

// Unmerge takes a merge back: the lender's rows count at home again, and the shadow is swept.
func (m *Merger) Unmerge(r *domain.Record, c *domain.UnmergeMember) error {
	k, err := m.Members.Active(r, c.Member)
	if k == nil || err != nil {
		return err
	}
	return m.borrowers.unmerge(r, k, c)
}

// Lend applies a step of a merge.
func (m *Merger) Lend(r *domain.Record, l *domain.Lend) error {
	return m.step(r, l)
}

// SetAside follows a step that cannot be applied. One by which rows change hands counts as one that was, or
// every answer would wait for it. The merge ends: its borrower is sent a refusal, which completes the request
// that waits and gives back what the lender has lent. All of it is sent, and nothing done here: what is done
// may be what failed.
func (m *Merger) SetAside(r *domain.Record, l *domain.Lend) {
	refusal := domain.Lend{Step: domain.LendRefused, Other: l.Other, Ticket: l.Ticket, Code: domain.Internal}
	switch l.Step {
	case domain.LendReturn: // the member stays lent until the same borrower asks for it again
		m.lenders.countReceived(l.Other)
		m.lenders.completeAsked(r, l, domain.Failed(errStep))
	case domain.LendAsk, domain.LendNext:
		refusal.Other = l.Member
		m.lenders.send(r.Account, l.Other, refusal)
	case domain.LendErased:
		if !l.Last {
			again := *l
			again.Last = true
			m.borrowers.send(r.Account, l.Member, again)
		}
	default:
		if l.Last {
			m.borrowers.countReceived(l.Other)
		}
		if l.Code != domain.Internal {
			m.borrowers.send(r.Account, l.Member, refusal)
		}
	}
}

// errStep is the error of a request whose merge, or whose end of one, cannot be applied.
var errStep = domain.Fail(domain.Internal, "a step of the merge cannot be applied")

func (m *Merger) step(r *domain.Record, l *domain.Lend) error {
	switch l.Step {
	case domain.LendAsk:
		return m.lenders.ask(r, l)
	case domain.LendNext:
		return m.lenders.next(r, l)
	case domain.LendReturn:
		return m.lenders.takeBack(r, l)
	case domain.LendRefused:
		return m.borrowers.refused(r, l)
	case domain.LendErased:
		return m.borrowers.lenderErased(r, l)
	case domain.LendRows:
		return m.borrowers.borrow(r, l)
	}
	return fmt.Errorf("merging: no step %d of a merge", l.Step)
}

// OptOut opts out the members merged into one that opts out: those that it knows to be opted in.
func (m *Merger) OptOut(r *domain.Record, of *domain.Member, o domain.Opt, at int64) {
	for _, lender := range member.OptedLenders(of, o) {
		c := &domain.OptOut{Member: lender, Opt: o, At: at}
		m.borrowers.forward(&domain.Record{Account: r.Account}, lender, c)
	}
}

// Follow follows changes that are staged: one-time actions are covered again, and what changed of a
// lender is sent to its borrower.
func (m *Merger) Follow(changes []domain.Change) error {
	if m.idle() {
		return nil
	}
	m.loans.followTaken(changes) // what is covered by now was lent before
	if err := m.groups.follow(changes); err != nil {
		return err
	}
	m.loans.follow(changes)
	return nil
}

// Sent sends what a record has changed of lenders, once all that it changes is staged and followed.
func (m *Merger) Sent() error {
	m.loans.sendLent()
	return m.groups.Shard.Stage()
}

// Release ends what a member that is about to be erased has part in: those merged into it are erased,
// too, and the one that it is merged into hears of it.
func (m *Merger) Release(r *domain.Record, k *members.Actor, at int64) error {
	if err := m.borrowers.release(r, k, at); err != nil {
		return err
	}
	return m.lenders.release(r, k)
}

// Erased follows the erasure of a member: it has no rows.
func (m *Merger) Erased(k *members.Actor) { m.groups.erased(k.Place()) }
