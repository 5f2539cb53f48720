package merging

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// loans are those of the shard's lenders, and what is sent for them.
type loans struct {
	sender
	groups   *groups
	byMember map[member.Place]domain.Loan
	lent     []pendingRow // by the record being applied: not sent yet
	depths   depths
	unsent   map[member.Place]unsent // of lenders that have sent a step, and not the last
}

// unsent is where the rows of a lender are that were not sent.
type unsent struct {
	ticket, copied uint64 // of the loan (domain.Loan)
	rows           []unsentRow
}

// unsentRow is where a row is.
type unsentRow struct {
	at   member.Place
	time domain.Second
	seq  uint64
}

// begin notes a loan of a lender.
func (n *loans) begin(of *domain.Member, loan domain.Loan) {
	at := member.Place{Account: of.Account, Ord: of.Ord}
	n.byMember[at] = loan
	n.depths.begin(at, member.Depth(of))
}

// end forgets a loan.
func (n *loans) end(at member.Place) {
	delete(n.byMember, at)
	delete(n.unsent, at)
	n.depths.end(at)
}

// followTaken sends which rows of lenders count no more.
func (n *loans) followTaken(changes []domain.Change) {
	for i := range changes {
		if changes[i].Kind == domain.RowTaken {
			n.lendTaken(changes[i].Row)
		}
	}
}

// follow sends what else changed of lenders.
func (n *loans) follow(changes []domain.Change) {
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case domain.RowAdded:
			n.lendAdded(&c.Row, c.Content)
		case domain.MemberPut:
			n.lendRecord(c.Value.(*domain.Member))
		default: // no other change is of a lender's rows or record
		}
	}
}

// sent is the loan of the member as whose a row counts, if its borrower has had the rows up to it.
func (n *loans) sent(root member.Place, seq uint64) (domain.Loan, bool) {
	loan, lends := n.byMember[root]
	return loan, lends && seq <= loan.Copied
}

// lendAdded has a row sent that is new. Of a lender whose rows are copied it is, with them.
func (n *loans) lendAdded(row *domain.Row, content *domain.Content) {
	if n.groups.countedAs(placeOf(row)).Of(row.Ord) == nil {
		return
	}
	root := n.groups.survivorOf(placeOf(row))
	loan, lends := n.sent(root, row.Seq)
	if !lends || n.groups.covered(placeOf(row), row.Seq) {
		return
	}
	l := n.lentRow(row, content)
	l.Taken = row.Flags.Dead()
	n.lendRow(root, loan, l)
}

// lendTaken has it sent that a row counts no more.
func (n *loans) lendTaken(row domain.Row) {
	root := n.groups.survivorOf(placeOf(&row))
	loan, lends := n.sent(root, row.Seq)
	if !lends || n.groups.covered(placeOf(&row), row.Seq) {
		return
	}
	l := n.lentRow(&row, nil)
	l.Taken = true
	n.lendRow(root, loan, l)
}

// covered sends that a row of a lender is covered, or is not any more.
func (n *loans) covered(root member.Place, row domain.Row, covered bool) error {
	loan, lends := n.sent(root, row.Seq)
	if !lends {
		return nil
	}
	if covered {
		l := n.lentRow(&row, nil)
		l.Taken, l.Row.Flags = true, l.Row.Flags|domain.Superseded
		n.lendRow(root, loan, l)
		return nil
	}
	lent, err := n.lentRows([]domain.Row{row})
	if err == nil {
		n.lendRow(root, loan, lent[0])
	}
	return err
}

// ended lends on that the rows of a shadow count no more, where its borrower is lent itself: the
// shadow's lender is erased.
func (n *loans) ended(shadow, borrower member.Place) error {
	if _, lends := n.byMember[borrower]; !lends {
		return nil
	}
	past, err := n.Loaded.Past(shadow)
	if err != nil {
		return err
	}
	for i := range past {
		row := past[i]
		loan, lent := n.sent(borrower, row.Seq)
		if !lent {
			continue
		}
		if lends, err := n.lendable(&row); err != nil {
			return err
		} else if !lends {
			continue
		}
		l := n.lentRow(&row, nil)
		l.Taken, l.Row.Flags = true, l.Row.Flags&^domain.DeadFlags|domain.Superseded
		n.lendRow(borrower, loan, l)
	}
	return nil
}

// lendable reports that a row counts as its member's, or that a one-time pair is closed by it.
func (n *loans) lendable(row *domain.Row) (bool, error) {
	at := placeOf(row)
	switch {
	case n.groups.covered(at, row.Seq):
		return false, nil
	case !row.Flags.Dead():
		return true, nil
	case row.Flags&domain.OneTimeRow == 0 || row.Flags&domain.Deleted == 0:
		return false, nil
	}
	k, err := n.Loaded.Load(at)
	if err != nil {
		return false, err
	}
	one, _, known, err := member.Pair(k.State(), row.Definition, row.Brand, n.Store)
	return known && one.Seq == row.Seq && one.Deleted && !member.IsOpen(&one), err
}

// pendingRow is a row of a lender that its borrower has to know of.
type pendingRow struct {
	root member.Place
	loan domain.Loan
	row  domain.LentRow
}

// lendRow has a row sent with the others of the record.
func (n *loans) lendRow(root member.Place, loan domain.Loan, l domain.LentRow) {
	n.lent = append(n.lent, pendingRow{root, loan, l})
}

// sendLent sends the rows that a record has changed, of each lender in one step where they fit: so no
// answer shows one action removed and its replacement missing. Of a loan that the record has ended there
// is nothing to say.
func (n *loans) sendLent() {
	for len(n.lent) > 0 {
		first, rest := n.lent[0], n.lent[:0:0]
		now := n.byMember[first.root]
		var rows []domain.LentRow
		for _, l := range n.lent {
			switch {
			case l.root != first.root:
				rest = append(rest, l)
			case l.loan.To == now.To && l.loan.Ticket == now.Ticket:
				rows = append(rows, l.row)
			}
		}
		for len(rows) > 0 {
			some := stepOf(rows)
			n.send(first.root.Account, first.loan.To, domain.Lend{
				Step: domain.LendRows, Other: n.Accounts.Of(first.root.Account).Audience.ID(first.root.Ord),
				Ticket: first.loan.Ticket, Rows: rows[:some:some],
			})
			rows = rows[some:]
		}
		n.lent = rest
	}
}

// lentRow is a row with its content as it is lent.
func (n *loans) lentRow(row *domain.Row, content *domain.Content) domain.LentRow {
	l := domain.LentRow{Row: *row}
	if content != nil {
		l.Content = *content
	}
	if l.Content.Action == 0 {
		l.Content.Action = row.ID()
	}
	if row.IsVisit() {
		of, place, placed := row.Definition.Visit()
		if l.Row.Definition = of; placed {
			l.Place = n.Accounts.Of(row.Account).Places.At(place)
		}
	}
	return l
}

// lentRows is lentRow of each, with the contents that are stored. A row that counts no more has none: what
// it said is in memory for a while, and is not on disk (I6).
func (n *loans) lentRows(rows []domain.Row) ([]domain.LentRow, error) {
	contents, err := n.Store.Contents(rows)
	if err != nil {
		return nil, err
	}
	lent := make([]domain.LentRow, len(rows))
	for i := range rows {
		taken := rows[i].Flags.Dead()
		if taken {
			contents[i] = nil
		}
		lent[i] = n.lentRow(&rows[i], contents[i])
		lent[i].Taken = taken
	}
	return lent, nil
}
