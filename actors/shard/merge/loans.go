package merge

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// loans are those of the shard's lenders, and what is sent for them.
type loans struct {
	groups   *groups
	byMember map[member.Place]domain.Loan
	lent     []pendingRow // by the record being applied: not sent yet
	depths   depths
	unsent   map[member.Place]unsent // of lenders that have sent a step, and not the last
	stats    *Stats
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
func (n *loans) begin(at member.Place, loan domain.Loan) {
	n.byMember[at] = loan
	n.depths.begin(at, int(loan.Depth))
}

// end forgets a loan.
func (n *loans) end(at member.Place) {
	delete(n.byMember, at)
	delete(n.unsent, at)
	n.depths.end(at)
}

// followTaken sends which rows of lenders count no more.
func (n *loans) followTaken(t *tx.Tx, changes []domain.Change) {
	for i := range changes {
		if changes[i].Kind == domain.RowTaken {
			n.lendTaken(t, &changes[i].Row, changes[i].Content)
		}
	}
}

// follow sends what else changed of lenders.
func (n *loans) follow(t *tx.Tx, changes []domain.Change) {
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case domain.RowAdded:
			n.lendAdded(t, &c.Row, c.Content)
		case domain.MemberPut:
			n.lendRecord(t, c.Value.(*domain.Member))
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
func (n *loans) lendAdded(t *tx.Tx, row *domain.Row, content *domain.Content) {
	if n.groups.countedAs(t.State, placeOf(row)).Of(row.Ord) == nil {
		return
	}
	root := n.groups.survivorOf(placeOf(row))
	loan, lends := n.sent(root, row.Seq)
	if !lends || n.groups.covered(t.State, placeOf(row), row.Seq) {
		return
	}
	l := lentRow(t, row, content)
	l.Taken = row.Flags.Dead()
	n.lendRow(root, loan, l)
}

// lendTaken has it sent that a row counts no more.
func (n *loans) lendTaken(t *tx.Tx, row *domain.Row, of *domain.Content) {
	root := n.groups.survivorOf(placeOf(row))
	loan, lends := n.sent(root, row.Seq)
	if !lends || n.groups.covered(t.State, placeOf(row), row.Seq) {
		return
	}
	l := lentRow(t, row, of)
	l.Taken = true
	n.lendRow(root, loan, l)
}

// lendTurned has it sent which rows of lenders are covered, or are not any more.
func (n *loans) lendTurned(t *tx.Tx, all []turned) error {
	for i := range all {
		of := &all[i]
		loan, lends := n.sent(of.root, of.row.Seq)
		switch {
		case !lends:
		case of.covered:
			taken, err := takenRows(t, []domain.Row{of.row})
			if err != nil {
				return err
			}
			n.lendRow(of.root, loan, taken[0])
		default:
			lent, err := n.lentRows(t, []domain.Row{of.row})
			if err != nil {
				return err
			}
			n.lendRow(of.root, loan, lent[0])
		}
	}
	return nil
}

// ended lends on that the rows of a shadow count no more, where its borrower is lent itself: the
// shadow's lender is erased.
func (n *loans) ended(t *tx.Tx, shadow, borrower member.Place) error {
	loan, lends := n.byMember[borrower]
	if !lends {
		return nil
	}
	past, err := t.State.Loaded.Past(shadow)
	if err != nil {
		return err
	}
	rows := past[:0]
	for i := range past {
		if _, lent := n.sent(borrower, past[i].Seq); !lent {
			continue
		}
		if lends, err := n.lendable(t, &past[i]); err != nil {
			return err
		} else if lends {
			rows = append(rows, past[i])
		}
	}
	for some := range slices.Chunk(rows, stepRead) {
		taken, err := takenRows(t, some)
		if err != nil {
			return err
		}
		for i := range taken {
			n.lendRow(borrower, loan, taken[i])
		}
	}
	return nil
}

// lendable reports that a row counts as its member's, or that a one-time pair is closed by it.
func (n *loans) lendable(t *tx.Tx, row *domain.Row) (bool, error) {
	at := placeOf(row)
	switch {
	case n.groups.covered(t.State, at, row.Seq):
		return false, nil
	case !row.Flags.Dead():
		return true, nil
	case row.Flags&domain.OneTimeRow == 0 || row.Flags&domain.Deleted == 0:
		return false, nil
	}
	m, err := t.State.Loaded.Load(at)
	if err != nil {
		return false, err
	}
	one, _, known, err := member.Pair(m.State(), row.Definition, row.Brand, t.State.Store)
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
func (n *loans) sendLent(t *tx.Tx) {
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
			send(t, first.root.Account, first.loan.To, domain.Lend{
				Step: domain.LendRows, Other: t.State.Accounts.Of(first.root.Account).Audience.ID(first.root.Ord),
				Ticket: first.loan.Ticket, Rows: rows[:some:some],
			})
			rows = rows[some:]
		}
		n.lent = rest
	}
}

// lentRow is a row with its content as it is lent.
func lentRow(t *tx.Tx, row *domain.Row, content *domain.Content) domain.LentRow {
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
			l.Place = t.State.Accounts.Of(row.Account).Places.At(place)
		}
	}
	return l
}

// takenRows are rows as they are lent that count no more, though they are not deleted. Which action each is of
// tells its copy from others.
func takenRows(t *tx.Tx, rows []domain.Row) ([]domain.LentRow, error) {
	contents, err := t.State.Store.Contents(rows)
	if err != nil {
		return nil, err
	}
	taken := make([]domain.LentRow, len(rows))
	for i := range rows {
		var of domain.Content
		if contents[i] != nil && !rows[i].Flags.Dead() {
			of.Action = contents[i].Action
		}
		l := lentRow(t, &rows[i], &of)
		l.Taken, l.Row.Flags = true, l.Row.Flags&^domain.DeadFlags|domain.Superseded
		taken[i] = l
	}
	return taken, nil
}

// lentRows is lentRow of each, with the contents that are stored. A row that counts no more has none: what
// it said is in memory for a while, and is not on disk (I6).
func (n *loans) lentRows(t *tx.Tx, rows []domain.Row) ([]domain.LentRow, error) {
	contents, err := t.State.Store.Contents(rows)
	if err != nil {
		return nil, err
	}
	lent := make([]domain.LentRow, len(rows))
	for i := range rows {
		taken := rows[i].Flags.Dead()
		if taken {
			contents[i] = nil
		}
		lent[i] = lentRow(t, &rows[i], contents[i])
		lent[i].Taken = taken
	}
	return lent, nil
}
