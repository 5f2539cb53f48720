package merging

import (
	"cmp"
	"math"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// What a step has of rows at most, beside one row of any size.
const (
	stepRows  = 4000
	stepBytes = 768 << 10
)

// ask has a member lend itself, unless it is not there or has part in another merge.
func (m *Merger) ask(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	refuse := func(code domain.Code) error {
		m.send(r.Account, l.Other, domain.Lend{Step: domain.LendRefused, Other: l.Member, Ticket: l.Ticket, Code: code})
		return nil
	}
	at, ok := m.Roster.Find(l.Member)
	if !ok || at.Account != r.Account {
		return refuse(domain.NotFound)
	}
	k, err := m.load(ctx, at)
	if err != nil {
		return err
	}
	of := &k.State().Member
	switch {
	case of.State == domain.MemberErased:
		return refuse(domain.Gone)
	case !k.State().Active():
		return refuse(domain.NotFound)
	case of.Lent != nil || slices.ContainsFunc(of.Absorbed, func(a domain.Absorbed) bool { return !a.Done }):
		return refuse(domain.Conflict)
	}
	return m.lend(ctx, k, domain.Loan{To: l.Other, Ticket: l.Ticket})
}

// next sends more rows of a member that lends itself.
func (m *Merger) next(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	at, ok := m.Roster.Find(l.Member)
	if loan, lends := m.loans[at]; ok && lends && at.Account == r.Account && loan.Ticket == l.Ticket && !loan.Done {
		k, err := m.load(ctx, at)
		if err != nil {
			return err
		}
		return m.lend(ctx, k, loan)
	}
	return nil
}

// lend sends the rows behind those that were sent. With the last of them the member is handed over.
func (m *Merger) lend(ctx actor.Context, k *members.Actor, loan domain.Loan) error {
	at, id := k.Place(), k.State().Member.ID
	rows, rest, err := m.rowsBehind(k, loan.Copied)
	if err != nil {
		return err
	}
	step := domain.Lend{Step: domain.LendRows, Other: id, Ticket: loan.Ticket, Rows: rows, Last: !rest}
	if rest {
		loan.Copied = rows[len(rows)-1].Row.Seq
	} else {
		loan.Copied, loan.Done = math.MaxUint64, true
	}
	m.Effects.Apply(ctx, k, &members.Lends{Loan: &loan})
	if err := m.Shard.Stage(ctx); err != nil {
		return err
	}
	m.loans[at] = loan
	if loan.Done {
		step.Record = lentRecord(&k.State().Member)
		for _, source := range m.sources(at) {
			if err := m.count(ctx, source, true, nil); err != nil {
				return err
			}
		}
		m.told(loan.To)
	}
	m.send(at.Account, loan.To, step)
	return nil
}

// rowsBehind are rows that count as the member's with sequences above one, in their order, and
// whether there are more. Of one-time actions that were deleted the mark is among them.
func (m *Merger) rowsBehind(k *members.Actor, seq uint64) (lent []domain.LentRow, more bool, err error) {
	var all []domain.Row
	for _, source := range m.sources(k.Place()) {
		past, err := m.Loaded.Past(source)
		if err != nil {
			return nil, false, err
		}
		for _, row := range past {
			if row.Seq > seq && m.lendable(&row) {
				all = append(all, row)
			}
		}
	}
	slices.SortFunc(all, func(a, b domain.Row) int { return cmp.Compare(a.Seq, b.Seq) })
	some := all[:min(len(all), stepRows)]
	if lent, err = m.lentRows(some); err != nil {
		return nil, false, err
	}
	bytes := 0
	for i := range lent {
		c := &lent[i].Content
		bytes += 64 + len(c.Marker) + len(c.Content) + len(c.Link) + len(c.Media) + len(lent[i].Place.Page)
		if bytes > stepBytes && i > 0 {
			lent = lent[:i]
			break
		}
	}
	return lent, len(lent) < len(all), nil
}

// lendable reports that a row counts as its member's, or closed a one-time pair.
func (m *Merger) lendable(row *domain.Row) bool {
	closed := row.Flags&domain.OneTimeRow != 0 && row.Flags&domain.Deleted != 0
	return (!row.Flags.Dead() || closed) && !m.covered(placeOf(row), row.Seq)
}

// takeBack has the rows of a lender count at home again.
func (m *Merger) takeBack(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	m.heard(l.Other)
	if !l.Asked.IsZero() {
		asked := &domain.Record{Offset: r.Offset, Request: l.Asked, BodyHash: r.BodyHash}
		m.Effects.Complete(asked, domain.Outcome{Member: l.Other})
	}
	at, ok := m.Roster.Find(l.Member)
	loan, lends := m.loans[at]
	if !ok || !lends || at.Account != r.Account || loan.Ticket != l.Ticket {
		return nil
	}
	k, err := m.load(ctx, at)
	if err != nil {
		return err
	}
	delete(m.loans, at)
	m.Effects.Apply(ctx, k, &members.Lends{})
	if err := m.Shard.Stage(ctx); err != nil || !loan.Done {
		return err
	}
	for _, source := range m.sources(at) {
		if err := m.count(ctx, source, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// Release ends what a member that is about to be erased has part in: those merged into it are erased,
// too, and the one that it is merged into hears of it.
func (m *Merger) Release(ctx actor.Context, r *domain.Record, k *members.Actor, at int64) error {
	of := k.State().Member
	for i := range of.Absorbed {
		a := &of.Absorbed[i]
		if !a.Done {
			m.complete(r, a.Asked, domain.Failed(domain.ErrErased))
			continue
		}
		if err := m.discharge(ctx, k, a.Member); err != nil {
			return err
		}
		m.Effects.Send(&domain.Outgoing{To: a.Member.Slot().Shard(m.Shards), Forward: &domain.Record{
			Kind: domain.KindEraseMember, Account: r.Account, Command: &domain.EraseMember{Member: a.Member, At: at},
		}})
	}
	if of.Lent == nil {
		return nil
	}
	delete(m.loans, k.Place())
	m.send(r.Account, of.Lent.To, domain.Lend{Step: domain.LendErased, Other: of.ID, Ticket: of.Lent.Ticket})
	m.Effects.Apply(ctx, k, &members.Lends{})
	return m.Shard.Stage(ctx)
}

// Erased follows the erasure of a member: it has no rows.
func (m *Merger) Erased(k *members.Actor) {
	at := k.Place()
	if m.Accounts.Counted(at.Account, at.Ord) != nil {
		m.Effects.Change(domain.Change{Kind: domain.RowsCounted, Value: &domain.CountedAs{
			Account: at.Account, Ord: at.Ord, As: at.Ord,
		}})
	}
}
