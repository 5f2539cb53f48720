package merge

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// borrowers are the members of the shard that others are merged into.
type borrowers struct {
	groups  *groups
	loans   *loans
	shadows map[lender]member.Place // in which a lender's rows are copied, or were last
	stats   *Stats
}

// lender is one whose rows are copied here.
type lender struct {
	account domain.AccountID
	id      domain.MemberID
}

// tooDeep is why a member that others are merged into is not merged.
var tooDeep = fmt.Sprintf("members would be merged one into the other more than %d times", domain.DeepestMerge)

// mergeInProgress is the outcome where one of two members has part in a merge that is under way.
func mergeInProgress() domain.Outcome {
	return domain.Failed(domain.Fail(domain.Conflict, "one of the members is being merged, or is merged into another"))
}

// merge begins to merge a member into another.
func (b *borrowers) merge(t *tx.Tx, r *domain.Record, m *members.Member, c *domain.MergeMembers) error {
	of := &m.State().Member
	switch a := member.AbsorbedOf(of, c.From); {
	case c.From == c.Member:
		fault := domain.Bad(domain.InvalidParameter, "from", "the member cannot be merged into itself")
		t.Complete(r, domain.Failed(fault))
	case of.IsLent():
		t.Complete(r, domain.Failed(domain.Merged(of.Lent.To)))
	case c.Denied:
		t.Complete(r, domain.Failed(domain.ErrMergeDenied))
	case of.Lent != nil || a != nil && !a.Done:
		t.Complete(r, mergeInProgress())
	case a != nil:
		t.Complete(r, domain.Outcome{Member: c.Member})
	case b.shadowIDsExhausted(t.State, r.Account, c.From):
		t.Complete(r, domain.Failed(domain.Bad(domain.PlanLimit, "from", "the member was merged too often")))
	default:
		ticket := domain.ActionID(t.NewRecord(c.Member.Slot())).Sequence()
		setAbsorbed(t, m, domain.Absorbed{Member: c.From, Ticket: ticket, Asked: r.AskedBy()}, 0)
		t.Defer(r, c.Member) // the last step completes it
		send(t, r.Account, c.From, domain.Lend{Step: domain.LendAsk, Other: c.Member, Ticket: ticket})
	}
	return nil
}

// shadowIDsExhausted reports that the shard has no id left for another shadow of a member.
func (b *borrowers) shadowIDsExhausted(s *tx.State, account domain.AccountID, from domain.MemberID) bool {
	at, known := b.shadows[lender{account, from}]
	if !known {
		return false
	}
	_, before := s.Accounts.Of(account).Audience.ID(at.Ord).Lender()
	return before == domain.MaxShadows-1
}

// awaited is the borrower that a lender's step is for, and what it knows of the lender; nil: it
// knows nothing of this merge any more.
func (b *borrowers) awaited(t *tx.Tx, r *domain.Record, l *domain.Lend) (*members.Member, *domain.Absorbed, error) {
	m, err := t.Find(r.Account, l.Member)
	if m == nil || err != nil {
		return nil, nil, err
	}
	a := member.AbsorbedOf(&m.State().Member, l.Other)
	if a == nil || a.Ticket != l.Ticket {
		return nil, nil, nil
	}
	own := *a
	return m, &own, nil
}

// refused ends a merge that the lender does not take part in, or of which a step was set aside: then the
// lender may have lent itself.
func (b *borrowers) refused(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	m, a, err := b.awaited(t, r, l)
	if err != nil || m != nil && a.Done {
		return err // a later step was set aside: the merge stays
	}
	if l.Code == domain.Internal {
		sendReturn(t, &domain.Record{Account: r.Account}, l.Other, l.Member, l.Ticket)
	}
	if m == nil {
		return nil
	}
	if err := b.endLoan(t, m, l.Other); err != nil {
		return err
	}
	out := mergeInProgress()
	switch l.Code {
	case domain.Internal:
		out = domain.Failed(errStep)
	case domain.NotFound:
		out = domain.Failed(domain.Bad(domain.NotFound, "from", "no such member"))
	case domain.Gone:
		out = domain.Failed(domain.ErrErased)
	case domain.PlanLimit:
		out = domain.Failed(domain.Bad(domain.PlanLimit, "from", "the member is too large, with those merged into it"))
		if l.Deep {
			out = domain.Failed(domain.Bad(domain.PlanLimit, "from", tooDeep))
		}
	}
	t.CompleteAsked(r, a.Asked, out)
	return nil
}

// borrow copies what a lender sends. With the handover the copies count.
func (b *borrowers) borrow(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	if l.Last {
		countReceived(t, l.Other)
	}
	m, a, err := b.awaited(t, r, l)
	if err != nil {
		return err
	}
	if m == nil { // the merge was given up meanwhile
		if l.Last || len(l.Rows) > 0 && l.Record == nil {
			sendReturn(t, &domain.Record{Account: r.Account}, l.Other, l.Member, l.Ticket)
		}
		return nil
	}
	shadow, err := b.shadow(t, m, l)
	if err != nil {
		return err
	}
	signups := len(a.Signups)
	if err := b.copyRows(t, shadow, a, l.Rows); err != nil {
		return err
	}
	if a.Done {
		removeCopies(t, m, l.Rows)
	}
	handover := l.Last && !a.Done
	if l.Record != nil || !a.Done || len(a.Signups) > signups {
		a.Done = a.Done || l.Last
		switch {
		case l.Last:
			a.Record = l.Record
		case l.Record != nil && a.Record != nil:
			a.Record = member.Amend(a.Record, l.Record)
		}
		setAbsorbed(t, m, *a, t.Clock())
		if err := t.Flush(); err != nil {
			return err
		}
	}
	switch {
	case handover:
		if err := b.countShadow(t, shadow, m.Place()); err != nil {
			return err
		}
		b.stats.Merged.Add(1)
		t.Notify(domain.Notice{Kind: domain.EventMerged, Account: r.Account, Member: l.Member, Other: l.Other})
		t.CompleteAsked(r, a.Asked, domain.Outcome{Member: l.Member})
	case !a.Done:
		send(t, r.Account, l.Other, domain.Lend{Step: domain.LendNext, Other: l.Member, Ticket: l.Ticket})
	}
	return nil
}

// sendReturn tells a lender that its rows count at home again, which completes the record's request.
func sendReturn(t *tx.Tx, r *domain.Record, lender, borrower domain.MemberID, ticket uint64) {
	sendOf(t, r, lender, domain.Lend{
		Step: domain.LendReturn, Other: borrower, Ticket: ticket, Asked: r.AskedBy(),
	})
	countSent(t, lender)
}

// shadow is the actor of the lender's shadow, which is made with the first rows. They count nowhere
// until the handover.
func (b *borrowers) shadow(t *tx.Tx, m *members.Member, l *domain.Lend) (*members.Member, error) {
	of := lender{m.Place().Account, l.Other}
	now, known := b.shadows[of]
	before := 0
	if known {
		s, err := t.State.Loaded.Load(now)
		if err != nil || s.State().Member.Lent != nil {
			return s, err
		}
		_, before = s.State().Member.ID.Lender()
		before++ // an ordinal whose rows were swept is not used again
	}
	id := of.id.Shadow(before)
	at := member.Place{Account: of.account, Ord: t.State.Accounts.Add(of.account, id)}
	b.shadows[of] = at
	s := t.State.Loaded.Spawn(at, member.NewShadow(of.account, id, at.Ord))
	setLoan(t, s, &domain.Loan{To: l.Member, Ticket: l.Ticket}, 0)
	t.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
		Account: at.Account, Ord: at.Ord, As: at.Ord, Hidden: true,
	}})
	return s, t.Flush()
}

// copyRows copies rows to a shadow, and notes the copies of signups.
func (b *borrowers) copyRows(t *tx.Tx, shadow *members.Member, a *domain.Absorbed, rows []domain.LentRow) error {
	if len(rows) == 0 {
		return nil
	}
	at := shadow.Place()
	visits := make([]member.Visiting, len(rows)) // what the copies get of the shard
	for i := range rows {
		seq := domain.ActionID(t.NewRecord(0)).Sequence()
		visits[i] = member.Visiting{Sequence: seq, Clock: t.Clock(), Places: &t.State.Accounts.Of(at.Account).Places}
		if !rows[i].Taken && rows[i].Row.IsVisit() && rows[i].Row.Definition == domain.Registration {
			a.Signups = append(a.Signups[:len(a.Signups):len(a.Signups)], domain.LentSignup{
				Record: uint64(rows[i].Content.Action), Seq: seq,
			})
		}
	}
	var err error
	t.Apply(shadow, func(s *member.State, dst []domain.Change) []domain.Change {
		s.Begin(2 * len(rows))
		for i := 0; i < len(rows) && err == nil; i++ {
			dst, err = member.Borrow(dst, s, &rows[i], &visits[i], t.State.Store)
		}
		return dst
	})
	if err != nil {
		return err
	}
	return t.Flush()
}

// removeCopies says of deleted actions that their copies, which counted as the borrower's, are no more.
func removeCopies(t *tx.Tx, borrower *members.Member, rows []domain.LentRow) {
	for i := range rows {
		of := &rows[i].Row
		if !rows[i].Taken || of.Flags&domain.Deleted == 0 {
			continue
		}
		t.Notify(domain.Notice{
			Kind: domain.EventRemoved, Account: borrower.Place().Account, Member: borrower.State().Member.ID,
			Action: rows[i].Content.Action, Brand: of.Brand, Definition: of.Definition, Service: of.Service, Copied: true,
		})
	}
}

// countShadow has the rows of a shadow count as the borrower's.
func (b *borrowers) countShadow(t *tx.Tx, shadow *members.Member, borrower member.Place) error {
	loan := *shadow.State().Member.Lent
	loan.Done = true
	setLoan(t, shadow, &loan, 0)
	at := shadow.Place()
	b.groups.join(at, borrower)
	if err := b.groups.count(t, at, false); err != nil {
		return err
	}
	turned, err := b.groups.coverAll(t, shadow, borrower)
	if err != nil {
		return err
	}
	return b.loans.lendTurned(t, turned)
}

// unmerge takes a merge back.
func (b *borrowers) unmerge(t *tx.Tx, r *domain.Record, m *members.Member, c *domain.UnmergeMember) error {
	of := &m.State().Member
	a := member.AbsorbedOf(of, c.From)
	switch {
	case of.IsLent():
		t.Complete(r, domain.Failed(domain.Merged(of.Lent.To)))
	case a == nil:
		t.Complete(r, domain.Failed(domain.Bad(domain.NotFound, "from", "the member is not merged into this one")))
	case of.Lent != nil:
		t.Complete(r, mergeInProgress())
	default:
		ticket := a.Ticket
		if a.Done {
			b.stats.Unmerged.Add(1)
			t.Notify(domain.Notice{Kind: domain.EventUnmerged, Account: r.Account, Member: c.Member, Other: c.From})
		} else { // what the lender sends of it is given back
			t.CompleteAsked(r, a.Asked, mergeInProgress())
		}
		if err := b.endLoan(t, m, c.From); err != nil {
			return err
		}
		sendReturn(t, r, c.From, c.Member, ticket)
		t.Redirect(r, c.From.Slot().Shard(t.State.Shards), c.From)
	}
	return nil
}

// endLoan ends a borrower's part in a merge: the shadow counts nowhere, and nothing of it is left.
func (b *borrowers) endLoan(t *tx.Tx, m *members.Member, from domain.MemberID) error {
	clock := t.Clock()
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		return member.Discharge(dst, s, from, clock)
	})
	at, known := b.shadows[lender{m.Place().Account, from}]
	if !known {
		return nil
	}
	shadow, err := t.State.Loaded.Load(at)
	if err != nil {
		return err
	}
	if loan := shadow.State().Member.Lent; loan == nil || loan.To != m.State().Member.ID {
		return nil // another member of the shard has the lender: this one has had none of its rows
	}
	if err := b.loans.ended(t, at, m.Place()); err != nil {
		return err
	}
	if err := b.groups.count(t, at, true); err != nil {
		return err
	}
	turned, err := b.groups.uncover(t, shadow, m.Place())
	if err != nil {
		return err
	}
	if err := b.loans.lendTurned(t, turned); err != nil {
		return err
	}
	return b.eraseShadow(t, shadow)
}

// eraseShadow leaves nothing of a shadow.
func (b *borrowers) eraseShadow(t *tx.Tx, shadow *members.Member) error {
	at := shadow.Place()
	past, err := t.State.Loaded.Past(at)
	if err != nil {
		return err
	}
	setLoan(t, shadow, nil, 0)
	member.Forget(shadow.State())
	t.Change(domain.Change{Kind: domain.RowsErased, Value: &domain.ErasedRows{
		Account: at.Account, Ord: at.Ord, Rows: past,
	}})
	b.groups.erased(t, at)
	return t.Flush()
}

// lenderErased ends a merge whose lender is erased.
func (b *borrowers) lenderErased(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	m, a, err := b.awaited(t, r, l)
	if m == nil || err != nil {
		return err
	}
	if !a.Done {
		t.CompleteAsked(r, a.Asked, domain.Failed(domain.ErrErased))
	} else {
		t.Notify(domain.Notice{Kind: domain.EventErased, Account: r.Account, Member: l.Other, Copied: true})
	}
	return b.endLoan(t, m, l.Other)
}

// release ends the merges into a member that is about to be erased: those merged into it are, too.
func (b *borrowers) release(t *tx.Tx, r *domain.Record, m *members.Member, at int64) error {
	of := m.State().Member
	for i := range of.Absorbed {
		a := &of.Absorbed[i]
		if err := b.endLoan(t, m, a.Member); err != nil {
			return err
		}
		if !a.Done { // what the lender sends of it is given back
			t.CompleteAsked(r, a.Asked, domain.Failed(domain.ErrErased))
			continue
		}
		forward(t, &domain.Record{Account: r.Account}, a.Member, &domain.EraseMember{Member: a.Member, At: at})
	}
	return nil
}

// setAbsorbed sets what a borrower knows of a lender. clock is the shard's, 0 where no rows change hands.
func setAbsorbed(t *tx.Tx, m *members.Member, a domain.Absorbed, clock int64) {
	t.Apply(m, func(s *member.State, dst []domain.Change) []domain.Change {
		return member.Absorb(dst, s, a, clock)
	})
}
