package merging

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// busy is the outcome where one of two members has part in a merge that is under way.
func busy() domain.Outcome {
	return domain.Failed(domain.Fail(domain.Conflict, "one of the members is being merged, or is merged into another"))
}

// Merge begins to merge a member into another.
func (m *Merger) Merge(ctx actor.Context, r *domain.Record, c *domain.MergeMembers) error {
	k, err := m.Members.Active(ctx, r, c.Member)
	if k == nil || err != nil {
		return err
	}
	of := &k.State().Member
	switch a := member.AbsorbedOf(of, c.From); {
	case c.From == c.Member:
		m.Effects.Complete(r, domain.Failed(domain.Bad(domain.InvalidParameter, "from", "the member cannot be merged into itself")))
	case of.IsLent():
		m.Effects.Complete(r, domain.Failed(domain.Merged(of.Lent.To)))
	case of.Lent != nil || a != nil && !a.Done:
		m.Effects.Complete(r, busy())
	case a != nil:
		m.Effects.Complete(r, domain.Outcome{Member: c.Member})
	case m.worn(r.Account, c.From):
		m.Effects.Complete(r, domain.Failed(domain.Bad(domain.PlanLimit, "from", "the member was merged too often")))
	default:
		ticket := domain.ActionID(m.Effects.NewRecord(c.Member.Slot())).Sequence()
		m.Effects.Apply(ctx, k, &members.Absorb{Absorbed: domain.Absorbed{
			Member: c.From, Ticket: ticket, Asked: r.AskedBy(),
		}})
		m.Effects.Await(r, c.Member) // the last step completes it
		m.send(r.Account, c.From, domain.Lend{Step: domain.LendAsk, Other: c.Member, Ticket: ticket})
	}
	return nil
}

// worn reports that the shard has no id left for another shadow of a member.
func (m *Merger) worn(account domain.AccountID, from domain.MemberID) bool {
	at, known := m.shadows[lender{account, from}]
	if !known {
		return false
	}
	_, before := m.Accounts.Of(account).Audience.ID(at.Ord).Lender()
	return before == domain.MaxShadows-1
}

// complete completes the request that waits for a merge.
func (m *Merger) complete(r *domain.Record, asked domain.RequestID, out domain.Outcome) {
	if !asked.IsZero() {
		m.Effects.Complete(&domain.Record{Offset: r.Offset, Request: asked, BodyHash: m.Effects.BodyOf(asked)}, out)
	}
}

// awaited is the borrower that a lender's step is for, and what it knows of the lender; nil: it
// knows nothing of this merge any more.
func (m *Merger) awaited(ctx actor.Context, r *domain.Record, l *domain.Lend) (*members.Actor, *domain.Absorbed, error) {
	at, ok := m.Roster.Find(l.Member)
	if !ok || at.Account != r.Account {
		return nil, nil, nil
	}
	k, err := m.load(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	a := member.AbsorbedOf(&k.State().Member, l.Other)
	if a == nil || a.Ticket != l.Ticket {
		return nil, nil, nil
	}
	own := *a
	return k, &own, nil
}

// refused ends a merge that the lender does not take part in.
func (m *Merger) refused(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	k, a, err := m.awaited(ctx, r, l)
	if k == nil || err != nil {
		return err
	}
	m.Effects.Apply(ctx, k, &members.Discharge{Lender: l.Other})
	out := busy()
	switch l.Code {
	case domain.NotFound:
		out = domain.Failed(domain.Bad(domain.NotFound, "from", "no such member"))
	case domain.Gone:
		out = domain.Failed(domain.ErrErased)
	}
	m.complete(r, a.Asked, out)
	return nil
}

// borrow copies what a lender sends. With the handover the copies count.
func (m *Merger) borrow(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	if l.Last {
		m.heard(l.Other)
	}
	k, a, err := m.awaited(ctx, r, l)
	if err != nil {
		return err
	}
	if k == nil { // the merge was given up meanwhile
		if l.Last || len(l.Rows) > 0 && l.Record == nil {
			m.giveBack(&domain.Record{Account: r.Account}, l.Other, l.Member, l.Ticket)
		}
		return nil
	}
	shadow, err := m.shadow(ctx, k, l)
	if err != nil {
		return err
	}
	signups := len(a.Signups)
	if err := m.copyRows(ctx, shadow, a, l.Rows); err != nil {
		return err
	}
	handover := l.Last && !a.Done
	if l.Record != nil || !a.Done || len(a.Signups) > signups {
		a.Done = a.Done || l.Last
		if l.Record != nil {
			a.Record = l.Record
		}
		m.Effects.Apply(ctx, k, &members.Absorb{Absorbed: *a})
		if err := m.Shard.Stage(ctx); err != nil {
			return err
		}
	}
	switch {
	case handover:
		if err := m.show(ctx, shadow, k.Place()); err != nil {
			return err
		}
		m.complete(r, a.Asked, domain.Outcome{Member: l.Member})
	case !a.Done:
		m.send(r.Account, l.Other, domain.Lend{Step: domain.LendNext, Other: l.Member, Ticket: l.Ticket})
	}
	return nil
}

// giveBack tells a lender that its rows count at home again, which completes the record's request.
func (m *Merger) giveBack(r *domain.Record, lender, borrower domain.MemberID, ticket uint64) {
	m.sendOf(r, lender, domain.Lend{
		Step: domain.LendReturn, Other: borrower, Ticket: ticket, Asked: r.AskedBy(),
	})
	m.told(lender)
}

// shadow is the actor of the lender's shadow, which is made with the first rows. They count nowhere
// until the handover.
func (m *Merger) shadow(ctx actor.Context, k *members.Actor, l *domain.Lend) (*members.Actor, error) {
	of := lender{k.Place().Account, l.Other}
	now, known := m.shadows[of]
	before := 0
	if known {
		s, err := m.load(ctx, now)
		if err != nil || s.State().Member.Lent != nil {
			return s, err
		}
		_, before = s.State().Member.ID.Lender()
		before++ // an ordinal whose rows were swept is not used again
	}
	id := of.id.Shadow(before)
	at := member.Place{Account: of.account, Ord: m.Accounts.Add(of.account, id)}
	m.shadows[of] = at
	s := m.Loaded.Spawn(ctx, at, member.NewShadow(of.account, id, at.Ord))
	m.Effects.Apply(ctx, s, &members.Lends{Loan: &domain.Loan{To: l.Member, Ticket: l.Ticket}})
	m.Effects.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
		Account: at.Account, Ord: at.Ord, As: k.Place().Ord, Hidden: true,
	}})
	return s, m.Shard.Stage(ctx)
}

// copyRows copies rows to a shadow, and notes the copies of signups.
func (m *Merger) copyRows(ctx actor.Context, shadow *members.Actor, a *domain.Absorbed, rows []domain.LentRow) error {
	if len(rows) == 0 {
		return nil
	}
	at := shadow.Place()
	b := &members.Borrow{
		Rows: rows, Seqs: make([]uint64, len(rows)), Clock: m.Effects.Clock(),
		Places: &m.Accounts.Of(at.Account).Places, History: m.Store,
	}
	for i := range rows {
		b.Seqs[i] = domain.ActionID(m.Effects.NewRecord(0)).Sequence()
		if !rows[i].Taken && rows[i].Row.IsVisit() && rows[i].Row.Definition == domain.Registration {
			a.Signups = append(a.Signups[:len(a.Signups):len(a.Signups)], domain.LentSignup{
				Record: uint64(rows[i].Content.Action), Seq: b.Seqs[i],
			})
		}
	}
	m.Effects.Apply(ctx, shadow, b)
	if b.Err != nil {
		return b.Err
	}
	return m.Shard.Stage(ctx)
}

// show has the rows of a shadow count as the borrower's.
func (m *Merger) show(ctx actor.Context, shadow *members.Actor, borrower member.Place) error {
	loan := *shadow.State().Member.Lent
	loan.Done = true
	m.Effects.Apply(ctx, shadow, &members.Lends{Loan: &loan})
	at := shadow.Place()
	m.join(at, borrower)
	if err := m.count(ctx, at, false, nil); err != nil {
		return err
	}
	return m.coverAll(ctx, shadow, borrower)
}

// Unmerge takes a merge back: the lender's rows count at home again, and the shadow is swept.
func (m *Merger) Unmerge(ctx actor.Context, r *domain.Record, c *domain.UnmergeMember) error {
	k, err := m.Members.Active(ctx, r, c.Member)
	if k == nil || err != nil {
		return err
	}
	of := &k.State().Member
	a := member.AbsorbedOf(of, c.From)
	switch {
	case of.IsLent():
		m.Effects.Complete(r, domain.Failed(domain.Merged(of.Lent.To)))
	case a == nil:
		m.Effects.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "from", "the member is not merged into this one")))
	case !a.Done || of.Lent != nil:
		m.Effects.Complete(r, busy())
	default:
		ticket := a.Ticket
		if err := m.discharge(ctx, k, c.From); err != nil {
			return err
		}
		m.giveBack(r, c.From, c.Member, ticket)
		m.Effects.MovedOn(r, c.From.Slot().Shard(m.Shards), c.From)
	}
	return nil
}

// discharge ends a borrower's part in a merge: the shadow counts nowhere, and nothing of it is left.
func (m *Merger) discharge(ctx actor.Context, k *members.Actor, from domain.MemberID) error {
	m.Effects.Apply(ctx, k, &members.Discharge{Lender: from})
	at, known := m.shadows[lender{k.Place().Account, from}]
	if !known {
		return nil
	}
	shadow, err := m.load(ctx, at)
	if err != nil || shadow.State().Member.Lent == nil {
		return err
	}
	if err := m.lendEnded(at, k.Place()); err != nil {
		return err
	}
	if err := m.count(ctx, at, true, nil); err != nil {
		return err
	}
	if err := m.uncover(ctx, shadow, k.Place()); err != nil {
		return err
	}
	return m.sweep(ctx, shadow)
}

// lendEnded lends on that the rows of a shadow count no more, where its borrower is lent itself: the
// shadow's lender is erased.
func (m *Merger) lendEnded(shadow, borrower member.Place) error {
	if _, lends := m.loans[borrower]; !lends {
		return nil
	}
	past, err := m.Loaded.Past(shadow)
	if err != nil {
		return err
	}
	for i := range past {
		row := past[i]
		loan, lent := m.sent(borrower, row.Seq)
		if !lent || !m.lendable(&row) {
			continue
		}
		l := m.lentRow(&row, nil)
		l.Taken, l.Row.Flags = true, l.Row.Flags&^domain.DeadFlags|domain.Erased
		m.lendRow(borrower, loan, l)
	}
	return nil
}

// sweep leaves nothing of a shadow.
func (m *Merger) sweep(ctx actor.Context, shadow *members.Actor) error {
	at := shadow.Place()
	past, err := m.Loaded.Past(at)
	if err != nil {
		return err
	}
	m.Effects.Apply(ctx, shadow, &members.Lends{})
	shadow.State().Forget()
	m.Effects.Change(domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{
		Account: at.Account, Ord: at.Ord, Rows: past,
	}})
	return m.Shard.Stage(ctx)
}

// lenderErased ends a merge whose lender is erased.
func (m *Merger) lenderErased(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	k, a, err := m.awaited(ctx, r, l)
	if k == nil || err != nil {
		return err
	}
	if !a.Done {
		m.complete(r, a.Asked, domain.Failed(domain.ErrErased))
	}
	return m.discharge(ctx, k, l.Other)
}
