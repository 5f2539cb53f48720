package merging

import (
	"cmp"
	"math"
	"slices"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/members"
)

// lenders are the members of the shard that are merged into others.
type lenders struct {
	sender
	groups *groups
	loans  *loans
}

// What a step has of rows at most, beside one row of any size.
const (
	stepRows  = 4000
	stepBytes = 768 << 10
)

// ask has a member lend itself, unless it is not there or has part in another merge.
func (n *lenders) ask(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	refuse := func(code domain.Code) error {
		n.send(r.Account, l.Other, domain.Lend{Step: domain.LendRefused, Other: l.Member, Ticket: l.Ticket, Code: code})
		return nil
	}
	at, ok := n.Roster.Find(l.Member)
	if !ok || at.Account != r.Account {
		return refuse(domain.NotFound)
	}
	k, err := n.Loaded.Load(ctx, at)
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
	return n.lend(ctx, k, domain.Loan{To: l.Other, Ticket: l.Ticket})
}

// next sends more rows of a member that lends itself.
func (n *lenders) next(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	at, ok := n.Roster.Find(l.Member)
	if loan, lends := n.loans.of[at]; ok && lends && at.Account == r.Account && loan.Ticket == l.Ticket && !loan.Done {
		k, err := n.Loaded.Load(ctx, at)
		if err != nil {
			return err
		}
		return n.lend(ctx, k, loan)
	}
	return nil
}

// lend sends the rows behind those that were sent. With the last of them the member is handed over.
func (n *lenders) lend(ctx actor.Context, k *members.Actor, loan domain.Loan) error {
	at, id := k.Place(), k.State().Member.ID
	rows, rest, err := n.rowsBehind(k, loan.Copied)
	if err != nil {
		return err
	}
	step := domain.Lend{Step: domain.LendRows, Other: id, Ticket: loan.Ticket, Rows: rows, Last: !rest}
	if rest {
		loan.Copied = rows[len(rows)-1].Row.Seq
	} else {
		loan.Copied, loan.Done = math.MaxUint64, true
	}
	n.Effects.Apply(ctx, k, &members.Lends{Loan: &loan})
	if err := n.Shard.Stage(ctx); err != nil {
		return err
	}
	n.loans.of[at] = loan
	if loan.Done {
		step.Record = lentRecord(&k.State().Member)
		for _, source := range n.groups.sources(at) {
			if err := n.groups.count(ctx, source, true); err != nil {
				return err
			}
		}
		n.told(loan.To)
	}
	n.send(at.Account, loan.To, step)
	return nil
}

// rowsBehind are rows that count as the member's with sequences above one, in their order, and
// whether there are more. Of one-time actions that were deleted the mark is among them.
func (n *lenders) rowsBehind(k *members.Actor, seq uint64) (lent []domain.LentRow, more bool, err error) {
	var all []domain.Row
	for _, source := range n.groups.sources(k.Place()) {
		past, err := n.Loaded.Past(source)
		if err != nil {
			return nil, false, err
		}
		for _, row := range past {
			if row.Seq > seq && n.loans.lendable(&row) {
				all = append(all, row)
			}
		}
	}
	slices.SortFunc(all, func(a, b domain.Row) int { return cmp.Compare(a.Seq, b.Seq) })
	some := all[:min(len(all), stepRows)]
	if lent, err = n.loans.lentRows(some); err != nil {
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

// takeBack has the rows of a lender count at home again.
func (n *lenders) takeBack(ctx actor.Context, r *domain.Record, l *domain.Lend) error {
	n.heard(l.Other)
	if !l.Asked.IsZero() {
		asked := &domain.Record{Offset: r.Offset, Request: l.Asked, BodyHash: r.BodyHash}
		n.Effects.Complete(asked, domain.Outcome{Member: l.Other})
	}
	at, ok := n.Roster.Find(l.Member)
	loan, lends := n.loans.of[at]
	if !ok || !lends || at.Account != r.Account || loan.Ticket != l.Ticket {
		return nil
	}
	k, err := n.Loaded.Load(ctx, at)
	if err != nil {
		return err
	}
	delete(n.loans.of, at)
	n.Effects.Apply(ctx, k, &members.Lends{})
	if err := n.Shard.Stage(ctx); err != nil || !loan.Done {
		return err
	}
	for _, source := range n.groups.sources(at) {
		if err := n.groups.count(ctx, source, false); err != nil {
			return err
		}
	}
	return nil
}

// release ends the loan of a member that is about to be erased: its borrower hears of it.
func (n *lenders) release(ctx actor.Context, r *domain.Record, k *members.Actor) error {
	of := k.State().Member
	if of.Lent == nil {
		return nil
	}
	delete(n.loans.of, k.Place())
	n.send(r.Account, of.Lent.To, domain.Lend{Step: domain.LendErased, Other: of.ID, Ticket: of.Lent.Ticket})
	n.Effects.Apply(ctx, k, &members.Lends{})
	return n.Shard.Stage(ctx)
}
