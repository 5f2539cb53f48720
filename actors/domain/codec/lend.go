package codec

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec/schema"
)

func mergeToWire(m *domain.MergeMembers) *schema.MergeMembers {
	return &schema.MergeMembers{Member: uint64(m.Member), From: uint64(m.From), Denied: m.Denied}
}

func mergeFromWire(_ *checker, m *schema.MergeMembers) domain.MergeMembers {
	return domain.MergeMembers{Member: domain.MemberID(m.Member), From: domain.MemberID(m.From), Denied: m.Denied}
}

func unmergeToWire(m *domain.UnmergeMember) *schema.UnmergeMember {
	return &schema.UnmergeMember{Member: uint64(m.Member), From: uint64(m.From)}
}

func unmergeFromWire(_ *checker, m *schema.UnmergeMember) domain.UnmergeMember {
	return domain.UnmergeMember{Member: domain.MemberID(m.Member), From: domain.MemberID(m.From)}
}

func lendToWire(l *domain.Lend) *schema.Lend {
	return &schema.Lend{
		Step:   uint32(l.Step),
		Member: uint64(l.Member),
		Other:  uint64(l.Other),
		Ticket: l.Ticket,
		Code:   uint32(l.Code),
		Deep:   l.Deep,
		Rows:   list(l.Rows, lentRowToWire),
		Last:   l.Last,
		Record: lenderToWire(l.Record),
		Asked:  block(l.Asked[:]),
	}
}

func lendFromWire(c *checker, m *schema.Lend) domain.Lend {
	return domain.Lend{
		Step:   small[domain.LendStep](c, m.Step),
		Member: domain.MemberID(m.Member),
		Other:  domain.MemberID(m.Other),
		Ticket: m.Ticket,
		Code:   small[domain.Code](c, m.Code),
		Deep:   m.Deep,
		Rows:   listFrom(c, m.Rows, lentRowFromWire),
		Last:   m.Last,
		Record: lenderFromWire(c, m.Record),
		Asked:  c.id(m.Asked),
	}
}

func lenderToWire(m *domain.Member) *schema.Member {
	if m == nil {
		return nil
	}
	return memberToWire(m)
}

func lenderFromWire(c *checker, m *schema.Member) *domain.Member {
	if m == nil {
		return nil
	}
	record := memberFromWire(c, m)
	return &record
}

func lentRowToWire(r *domain.LentRow) *schema.LentRow {
	c, g := &r.Content, &r.Content.Geo
	return &schema.LentRow{
		Row:      rowToWire(&r.Row),
		Taken:    r.Taken,
		Domain:   r.Place.Domain,
		Page:     r.Place.Page,
		Action:   uint64(c.Action),
		Recorded: c.Recorded,
		Marker:   c.Marker,
		Content:  c.Content,
		Link:     c.Link,
		Media:    c.Media,
		Country:  g.Country,
		Region:   g.Region,
		City:     g.City,
		Lat:      g.Lat,
		Lon:      g.Lon,
	}
}

func lentRowFromWire(c *checker, m *schema.LentRow) domain.LentRow {
	r := domain.LentRow{
		Taken: m.Taken,
		Place: domain.VisitPlace{Domain: m.Domain, Page: m.Page},
		Content: domain.Content{
			Action: domain.ActionID(m.Action), Recorded: m.Recorded,
			Marker: m.Marker, Content: m.Content, Link: m.Link, Media: m.Media,
			Geo: domain.Geo{Country: m.Country, Region: m.Region, City: m.City, Lat: m.Lat, Lon: m.Lon},
		},
	}
	if m.Row != nil {
		r.Row = rowFromWire(c, m.Row)
	}
	return r
}

func absorbedToWire(a *domain.Absorbed) *schema.Absorbed {
	return &schema.Absorbed{
		Member:  uint64(a.Member),
		Ticket:  a.Ticket,
		Asked:   block(a.Asked[:]),
		Done:    a.Done,
		Record:  lenderToWire(a.Record),
		Signups: list(a.Signups, signupToWire),
	}
}

func absorbedFromWire(c *checker, m *schema.Absorbed) domain.Absorbed {
	return domain.Absorbed{
		Member:  domain.MemberID(m.Member),
		Ticket:  m.Ticket,
		Asked:   c.id(m.Asked),
		Done:    m.Done,
		Record:  lenderFromWire(c, m.Record),
		Signups: listFrom(c, m.Signups, signupFromWire),
	}
}

func signupToWire(s *domain.LentSignup) *schema.LentSignup {
	return &schema.LentSignup{Record: s.Record, Sequence: s.Seq}
}

func signupFromWire(_ *checker, m *schema.LentSignup) domain.LentSignup {
	return domain.LentSignup{Record: m.Record, Seq: m.Sequence}
}

func loanToWire(l *domain.Loan) *schema.Loan {
	if l == nil {
		return nil
	}
	return &schema.Loan{To: uint64(l.To), Ticket: l.Ticket, Copied: l.Copied, Done: l.Done, Depth: uint32(l.Depth)}
}

func loanFromWire(m *schema.Loan) *domain.Loan {
	if m == nil {
		return nil
	}
	return &domain.Loan{To: domain.MemberID(m.To), Ticket: m.Ticket, Copied: m.Copied, Done: m.Done, Depth: uint8(m.Depth)}
}
