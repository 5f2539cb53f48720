package merge

import (
	"cmp"
	"math"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/members"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// lenders are the members of the shard that are merged into others.
type lenders struct {
	groups *groups
	loans  *loans
}

// What a step has at most, beside one row of any size. The journal takes 2 MiB.
const (
	stepRows   = 4000
	stepRead   = 250       // rows whose contents are read at once
	stepBytes  = 768 << 10 // of rows
	stepTaken  = 1 << 10   // what a row that is taken back counts as: finding its copy takes 0.3 ms in a month of 10,000
	stepRecord = 1 << 20   // of the lender's record, with those of members merged into it
)

// ask has a member lend itself, unless it is not there or has part in another merge.
func (n *lenders) ask(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	refused := domain.Lend{Step: domain.LendRefused, Other: l.Member, Ticket: l.Ticket}
	refuse := func(code domain.Code) error {
		refused.Code = code
		send(t, r.Account, l.Other, refused)
		return nil
	}
	m, err := t.Find(r.Account, l.Member)
	if err != nil {
		return err
	}
	if m == nil {
		return refuse(domain.NotFound)
	}
	if loan := m.State().Member.Lent; loan != nil && loan.To == l.Other {
		// The borrower knows nothing of this loan: its LendReturn was set aside, or is lost.
		if err := n.end(t, m); err != nil {
			return err
		}
	}
	of := &m.State().Member
	switch {
	case of.State == domain.MemberErased:
		return refuse(domain.Gone)
	case !m.State().Active():
		return refuse(domain.NotFound)
	case !fits(lentRecord(of)):
		return refuse(domain.PlanLimit)
	case of.Lent != nil || slices.ContainsFunc(of.Absorbed, func(a domain.Absorbed) bool { return !a.Done }):
		return refuse(domain.Conflict)
	case member.Depth(of) >= domain.DeepestMerge: // none is added below it while it lends
		refused.Deep = true
		return refuse(domain.PlanLimit)
	}
	return n.lend(t, m, domain.Loan{To: l.Other, Ticket: l.Ticket, Depth: uint8(member.Depth(of))})
}

// isOf reports that a step is of a loan. Tickets are numbers of the borrower's shard: two shards may give
// the same one.
func isOf(loan domain.Loan, l *domain.Lend) bool {
	return loan.To == l.Other && loan.Ticket == l.Ticket
}

// next sends more rows of a member that lends itself.
func (n *lenders) next(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	at, ok := t.State.Roster.Find(l.Member)
	if loan, lends := n.loans.byMember[at]; ok && lends && at.Account == r.Account && isOf(loan, l) && !loan.Done {
		m, err := t.State.Loaded.Load(at)
		if err != nil {
			return err
		}
		return n.lend(t, m, loan)
	}
	return nil
}

// lend sends the rows after those that were sent. With the last of them the member is handed over.
func (n *lenders) lend(t *tx.Tx, m *members.Member, loan domain.Loan) error {
	at, id := m.Place(), m.State().Member.ID
	rows, rest, err := n.rowsBehind(t, at, loan)
	if err != nil {
		return err
	}
	if !rest && !fits(lentRecord(&m.State().Member)) {
		return n.outgrown(t, m, loan)
	}
	step := domain.Lend{Step: domain.LendRows, Other: id, Ticket: loan.Ticket, Rows: rows, Last: !rest}
	if rest {
		loan.Copied = rows[len(rows)-1].Row.Seq
	} else {
		loan.Copied, loan.Done = math.MaxUint64, true
	}
	setLoan(t, m, &loan, t.Clock())
	if err := t.Flush(); err != nil {
		return err
	}
	n.loans.begin(at, loan)
	if loan.Done {
		step.Record = lentRecord(&m.State().Member)
		for _, source := range n.groups.sources(at) {
			if err := n.groups.count(t, source, true); err != nil {
				return err
			}
		}
		countSent(t, loan.To)
	}
	send(t, at.Account, loan.To, step)
	return nil
}

// outgrown ends a loan where the record has grown since it was asked for, so that no step can have it.
func (n *lenders) outgrown(t *tx.Tx, m *members.Member, loan domain.Loan) error {
	at := m.Place()
	n.loans.end(at)
	setLoan(t, m, nil, 0)
	send(t, at.Account, loan.To, domain.Lend{
		Step: domain.LendRefused, Other: m.State().Member.ID, Ticket: loan.Ticket, Code: domain.PlanLimit,
	})
	return t.Flush()
}

// rowsBehind are rows that count as the member's and were not sent, in the order of their sequences, and
// whether there are more. Of one-time actions that were deleted the mark is among them.
func (n *lenders) rowsBehind(
	t *tx.Tx, at member.Place, loan domain.Loan,
) (lent []domain.LentRow, more bool, err error) {
	var rows []domain.Row
	full := false
	read := func() error {
		some, err := n.loans.lentRows(t, rows)
		lent, rows = append(lent, some...), rows[:0]
		full = stepOf(lent) < len(lent)
		return err
	}
	left, err := n.eachUnsent(t, at, loan, func(row *domain.Row) (more bool, err error) {
		if rows = append(rows, *row); len(rows) == stepRead {
			err = read()
		}
		return !full, err
	})
	if err == nil {
		err = read()
	}
	if err != nil {
		return nil, false, err
	}
	if !full {
		delete(n.loans.unsent, at)
		return lent, false, nil
	}
	lent = lent[:stepOf(lent)]
	last := lent[len(lent)-1].Row.Seq
	left = slices.DeleteFunc(left, func(u unsentRow) bool { return u.seq <= last })
	n.loans.unsent[at] = unsent{loan.Ticket, last, left}
	return lent, true, nil
}

// eachUnsent calls f with rows that count as the member's and were not sent, until f has enough, and gives
// the places of all that were not sent. Where they are is kept from step to step: a step reads its own rows,
// and not all that the member did. They are those that a start would find.
func (n *lenders) eachUnsent(
	t *tx.Tx, at member.Place, loan domain.Loan, f func(*domain.Row) (more bool, err error),
) (left []unsentRow, err error) {
	more := true
	lend := func(row *domain.Row) error {
		lends, err := n.loans.lendable(t, row)
		if lends && err == nil {
			more, err = f(row)
		}
		return err
	}
	last := loan.Copied
	if kept, is := n.loans.unsent[at]; is && kept.ticket == loan.Ticket && kept.copied == loan.Copied {
		left = kept.rows
		last = left[len(left)-1].seq
	}
	for i := 0; i < len(left) && more; i++ {
		u := &left[i]
		row, there, err := t.State.Store.At(u.at.Account, u.at.Ord, u.time, u.seq)
		if there && err == nil { // else its source was erased
			err = lend(&row)
		}
		if err != nil {
			return nil, err
		}
	}
	if !more {
		return left, nil
	}
	var all []domain.Row // that came since, or of the first step all
	for _, source := range n.groups.sources(at) {
		past, err := t.State.Loaded.Past(source)
		if err != nil {
			return nil, err
		}
		all = append(all, slices.DeleteFunc(past, func(r domain.Row) bool { return r.Seq <= last })...)
	}
	slices.SortFunc(all, func(a, b domain.Row) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := range all {
		left = append(left, unsentRow{placeOf(&all[i]), all[i].Time, all[i].Seq})
		if !more {
			continue
		}
		if err := lend(&all[i]); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// stepOf is how many of the rows one step has.
func stepOf(rows []domain.LentRow) int {
	bytes := 0
	for i := range rows {
		c, at := &rows[i].Content, &rows[i].Place
		bytes += 64 + len(c.Marker) + len(c.Content) + len(c.Link) + len(c.Media) + len(at.Domain) + len(at.Page)
		bytes += len(c.Geo.Country) + len(c.Geo.Region) + len(c.Geo.City) + len(c.Geo.Lat) + len(c.Geo.Lon)
		if rows[i].Taken {
			bytes += stepTaken
		}
		if i == stepRows || bytes > stepBytes && i > 0 {
			return i
		}
	}
	return len(rows)
}

// takeBack has the rows of a lender count at home again.
func (n *lenders) takeBack(t *tx.Tx, r *domain.Record, l *domain.Lend) error {
	countReceived(t, l.Other)
	completeAsked(t, r, l, domain.Outcome{Member: l.Other})
	at, ok := t.State.Roster.Find(l.Member)
	loan, lends := n.loans.byMember[at]
	if !ok || !lends || at.Account != r.Account || !isOf(loan, l) {
		return nil
	}
	m, err := t.State.Loaded.Load(at)
	if err != nil {
		return err
	}
	return n.end(t, m)
}

// completeAsked completes the request that waits for a return.
func completeAsked(t *tx.Tx, r *domain.Record, l *domain.Lend, out domain.Outcome) {
	if !l.Asked.IsZero() {
		t.Complete(&domain.Record{Offset: r.Offset, Request: l.Asked, BodyHash: r.BodyHash, Nonce: r.Nonce}, out)
	}
}

// end has a member lend no more: its rows count at home again.
func (n *lenders) end(t *tx.Tx, m *members.Member) error {
	at := m.Place()
	loan := n.loans.byMember[at]
	n.loans.end(at)
	setLoan(t, m, nil, t.Clock())
	if err := t.Flush(); err != nil || !loan.Done {
		return err
	}
	for _, source := range n.groups.sources(at) {
		if err := n.groups.count(t, source, false); err != nil {
			return err
		}
	}
	return nil
}

// release ends the loan of a member that is about to be erased: its borrower hears of it.
func (n *lenders) release(t *tx.Tx, r *domain.Record, m *members.Member) error {
	of := m.State().Member
	if of.Lent == nil {
		return nil
	}
	n.loans.end(m.Place())
	send(t, r.Account, of.Lent.To, domain.Lend{Step: domain.LendErased, Other: of.ID, Ticket: of.Lent.Ticket})
	setLoan(t, m, nil, t.Clock())
	return t.Flush()
}
