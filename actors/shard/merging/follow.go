package merging

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Follow follows changes that are staged: one-time actions are covered anew, and what changed of a
// lender is sent to its borrower.
func (m *Merger) Follow(ctx actor.Context, changes []domain.Change) error {
	if len(m.loans)+len(m.groups) == 0 {
		return nil
	}
	fresh := m.added(changes)
	for i := range changes {
		if o, is := changes[i].Value.(*domain.OneTime); is {
			root := m.root(member.Place{Account: o.Account, Ord: o.Ord})
			if len(m.groups[root]) > 0 {
				if err := m.cover(ctx, root, pair{o.Definition, o.Brand}, fresh); err != nil {
					return err
				}
			}
		}
	}
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case domain.RowAdded:
			m.lendAdded(&c.Row, c.Content)
		case domain.RowTaken:
			m.lendTaken(c.Row)
		case domain.MemberPut:
			m.lendRecord(c.Value.(*domain.Member))
		}
	}
	m.sendLent()
	return nil
}

// added are the sequences of the rows that are added, where one of them may be covered.
func (m *Merger) added(changes []domain.Change) (seqs []uint64) {
	for i := range changes {
		if c := &changes[i]; c.Kind == domain.RowAdded && c.Row.Flags&domain.OneTimeRow != 0 {
			seqs = append(seqs, c.Row.Seq)
		}
	}
	return seqs
}

// sent is the loan of the member as whose a row counts, if its borrower has had the rows up to it.
func (m *Merger) sent(root member.Place, seq uint64) (domain.Loan, bool) {
	loan, lends := m.loans[root]
	return loan, lends && seq <= loan.Copied
}

func (m *Merger) lendAdded(row *domain.Row, content *domain.Content) {
	root := m.root(placeOf(row))
	loan, lends := m.sent(root, row.Seq)
	if !lends || m.covered(placeOf(row), row.Seq) {
		return
	}
	l := m.lentRow(row, content)
	l.Taken = row.Flags.Dead()
	m.lendRow(root, loan, l)
}

func (m *Merger) lendTaken(row domain.Row) {
	root := m.root(placeOf(&row))
	loan, lends := m.sent(root, row.Seq)
	if !lends || m.covered(placeOf(&row), row.Seq) {
		return
	}
	l := m.lentRow(&row, nil)
	l.Taken = true
	m.lendRow(root, loan, l)
}

// lendOn sends that a row of a lender is covered, or is not any more.
func (m *Merger) lendOn(root member.Place, row domain.Row, covered bool) error {
	loan, lends := m.sent(root, row.Seq)
	if !lends {
		return nil
	}
	lent, err := m.lentRows([]domain.Row{row})
	if err != nil {
		return err
	}
	l := lent[0]
	if covered {
		l.Taken = true
		l.Row.Flags |= domain.Superseded
	}
	m.lendRow(root, loan, l)
	return nil
}

// lentOn is a row of a lender that its borrower has to know of.
type lentOn struct {
	root member.Place
	loan domain.Loan
	row  domain.LentRow
}

// lendRow has a row sent with the others of the record.
func (m *Merger) lendRow(root member.Place, loan domain.Loan, l domain.LentRow) {
	m.lent = append(m.lent, lentOn{root, loan, l})
}

// sendLent sends the rows that a record has changed, of each lender in one step: that one action takes
// the place of another is no matter of two answers.
func (m *Merger) sendLent() {
	for len(m.lent) > 0 {
		first, rest := m.lent[0], m.lent[:0:0]
		var rows []domain.LentRow
		for _, l := range m.lent {
			if l.root == first.root {
				rows = append(rows, l.row)
			} else {
				rest = append(rest, l)
			}
		}
		m.send(first.root.Account, first.loan.To, domain.Lend{
			Step: domain.LendRows, Other: m.Accounts.Of(first.root.Account).Audience.ID(first.root.Ord),
			Ticket: first.loan.Ticket, Rows: rows,
		})
		m.lent = rest
	}
}

// lendRecord sends the record of a member that is handed over.
func (m *Merger) lendRecord(record *domain.Member) {
	at := member.Place{Account: record.Account, Ord: record.Ord}
	if loan, lends := m.loans[at]; lends && loan.Done {
		m.send(at.Account, loan.To, domain.Lend{
			Step: domain.LendRows, Other: record.ID, Ticket: loan.Ticket, Record: lentRecord(record),
		})
	}
}

// lentRecord is a member's record as its borrower knows it.
func lentRecord(of *domain.Member) *domain.Member {
	record := *of
	record.Lent, record.Passwords, record.Pending = nil, nil, nil
	return &record
}

// lentRow is a row with its content as it is lent.
func (m *Merger) lentRow(row *domain.Row, content *domain.Content) domain.LentRow {
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
			l.Place = m.Accounts.Of(row.Account).Places.At(place)
		}
	}
	return l
}

// lentRows is lentRow of each, with the contents that are stored.
func (m *Merger) lentRows(rows []domain.Row) ([]domain.LentRow, error) {
	contents, err := m.Store.Contents(rows)
	if err != nil {
		return nil, err
	}
	lent := make([]domain.LentRow, len(rows))
	for i := range rows {
		lent[i] = m.lentRow(&rows[i], contents[i])
		lent[i].Taken = rows[i].Flags.Dead()
	}
	return lent, nil
}
