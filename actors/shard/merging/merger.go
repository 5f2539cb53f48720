package merging

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// Effects is what applying a record does in the shard, beside its members.
type Effects interface {
	// Change adds a change to those of the micro-batch; Apply has a member add its own.
	Change(domain.Change)
	Apply(ctx actor.Context, k *members.Actor, m members.Message)
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
	// MovedOn says that another shard has the outcome.
	MovedOn(r *domain.Record, to int, id domain.MemberID)
	// BodyOf is the hash of a request's body, 0 where the request is not known.
	BodyOf(domain.RequestID) uint64
}

// Shard stages the changes made so far.
type Shard interface {
	Stage(ctx actor.Context) error
}

// Members finds the members that commands name.
type Members interface {
	// Active is the actor of an active member; nil: the command is completed, there is none.
	Active(ctx actor.Context, r *domain.Record, id domain.MemberID) (*members.Actor, error)
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
}

// Merger has part in the merges of a shard's members. It belongs to the shard's goroutine.
type Merger struct {
	Config
	Members Members

	loans   map[member.Place]domain.Loan    // of the shard's lenders
	shadows map[lender]member.Place         // in which a lender's rows are copied, or were last
	counted map[member.Place]member.Place   // shadows from their handover on: the member as whose their rows count
	lent    []lentOn                        // by the record being applied: not sent yet
	groups  map[member.Place][]member.Place // of each such member its shadows, by ordinal
}

// lender is one whose rows are copied here.
type lender struct {
	account domain.AccountID
	id      domain.MemberID
}

// New is the merger of a shard. Members is set before it applies anything.
func New(c Config) *Merger {
	return &Merger{
		Config: c, loans: map[member.Place]domain.Loan{}, shadows: map[lender]member.Place{},
		counted: map[member.Place]member.Place{}, groups: map[member.Place][]member.Place{},
	}
}

// Involved reports that what changes of a member has to be followed record by record.
func (m *Merger) Involved(at member.Place) bool {
	if len(m.loans)+len(m.groups) == 0 {
		return false
	}
	_, lends := m.loans[at]
	return lends || len(m.groups[at]) > 0
}

// root is the member as whose the rows of an ordinal count, wherever they do.
func (m *Merger) root(at member.Place) member.Place {
	if of, ok := m.counted[at]; ok {
		return of
	}
	return at
}

// sources are a member and its shadows.
func (m *Merger) sources(root member.Place) []member.Place {
	return append([]member.Place{root}, m.groups[root]...)
}

// load is the actor of a member or of a shadow.
func (m *Merger) load(ctx actor.Context, at member.Place) (*members.Actor, error) {
	return m.Loaded.Load(ctx, at)
}

// send sends a step to the shard of a member.
func (m *Merger) send(account domain.AccountID, to domain.MemberID, l domain.Lend) {
	m.sendOf(&domain.Record{Account: account}, to, l)
}

// sendOf is send of a step that has the outcome of a record's request.
func (m *Merger) sendOf(r *domain.Record, to domain.MemberID, l domain.Lend) {
	l.Member, l.At = to, m.Effects.Clock()
	m.Effects.Send(&domain.Outgoing{To: to.Slot().Shard(m.Shards), Forward: &domain.Record{
		Kind: domain.KindLend, Account: r.Account, Application: r.Application, BodyHash: r.BodyHash, Command: &l,
	}})
}

// told counts a step by which rows count in another shard, or here again; heard one that came.
func (m *Merger) told(to domain.MemberID) { m.handover(to, func(h *domain.Handover) { h.Sent++ }) }
func (m *Merger) heard(from domain.MemberID) {
	m.handover(from, func(h *domain.Handover) { h.Received++ })
}

func (m *Merger) handover(with domain.MemberID, count func(*domain.Handover)) {
	shard := with.Slot().Shard(m.Shards)
	all := slices.Clone(m.State.Handovers) // views have the old ones
	i, known := slices.BinarySearchFunc(all, shard, func(h domain.Handover, s int) int { return h.Shard - s })
	if !known {
		all = slices.Insert(all, i, domain.Handover{Shard: shard})
	}
	count(&all[i])
	m.State.Handovers = all
}

// Lend applies a step of a merge.
func (m *Merger) Lend(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	switch l.Step {
	case domain.LendAsk:
		return m.ask(ctx, r, l)
	case domain.LendNext:
		return m.next(ctx, r, l)
	case domain.LendReturn:
		return m.takeBack(ctx, r, l)
	case domain.LendRefused:
		return m.refused(ctx, r, l)
	case domain.LendErased:
		return m.lenderErased(ctx, r, l)
	}
	return m.borrow(ctx, r, l)
}
