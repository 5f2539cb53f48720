package merge

import (
	"bytes"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// lendRecord sends what changed of the record of a member that is handed over, and of those merged into it:
// each record that changed, and not those that are as before. One that has grown too large is not sent, and
// counted: the borrower keeps what it knows.
func (n *loans) lendRecord(t *tx.Tx, put *domain.Member) {
	at := member.Place{Account: put.Account, Ord: put.Ord}
	loan, lends := n.byMember[at]
	if !lends || !loan.Done {
		return
	}
	m := t.State.Loaded.At(at)
	was := member.Was(m.State())
	if was == nil {
		return // sent with an earlier change of the record being applied
	}
	is := m.State().Member
	for _, part := range altered(was, &is) {
		if !fits(part) {
			n.stats.Withheld.Add(1)
			continue
		}
		send(t, at.Account, loan.To, domain.Lend{
			Step: domain.LendRows, Other: is.ID, Ticket: loan.Ticket, Record: part,
		})
	}
}

// altered are the parts of a record, and of the records in it, that are others than before.
func altered(was, is *domain.Member) (parts []*domain.Member) {
	part := partOf(is, was)
	if !bytes.Equal(stepOfRecord(part), stepOfRecord(partOf(was, was))) {
		parts = append(parts, part)
	}
	for i := range is.Absorbed {
		a := &is.Absorbed[i]
		if before := member.AbsorbedOf(was, a.Member); before != nil && before.Record != a.Record {
			parts = append(parts, altered(before.Record, a.Record)...)
		}
	}
	return parts
}

// partOf is a member's record as its borrower gets it, without the records of those merged into it that
// another one has, too.
func partOf(of, known *domain.Member) *domain.Member {
	part := lentRecord(of)
	for i := range part.Absorbed {
		if a := &part.Absorbed[i]; member.AbsorbedOf(known, a.Member) != nil {
			a.Record = nil
		}
	}
	return part
}

// lentRecord is a member's record as its borrower knows it: without what is of its own shard alone.
func lentRecord(of *domain.Member) *domain.Member {
	record := *of
	record.Lent, record.Passwords, record.Pending = nil, nil, nil
	record.Absorbed = slices.Clone(of.Absorbed)
	for i := range record.Absorbed {
		a := &record.Absorbed[i]
		a.Asked, a.Signups = domain.RequestID{}, nil
	}
	return &record
}

// stepOfRecord is the step with a record, as it is sent.
func stepOfRecord(record *domain.Member) []byte {
	step := domain.Record{Command: &domain.Lend{Step: domain.LendRows, Record: record}}
	return codec.AppendRecord(nil, &step)
}

// fits reports that a step can have a record.
func fits(record *domain.Member) bool { return len(stepOfRecord(record)) <= stepRecord }
