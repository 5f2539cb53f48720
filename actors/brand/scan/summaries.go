package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// summaries sums up what each of the question's members did, by ordinal: the brands that the most
// points went to, or of visits the domains. It reads row by row: it is for few members.
type summaries struct {
	ask     *Ask
	latest  map[uint32]uint32              // by ordinal
	brands  map[[2]uint32]*domain.Standing // by ordinal and dense number
	domains map[visited]*domain.DomainVisits
}

// visited is a member, by its ordinal, on a domain.
type visited struct {
	ord  uint32
	text string
}

// summaries answers with the first Top.End brands of each member.
func (x *rowScan) summaries(v *rows.View, a *Ask) ([]domain.MemberSummary, error) {
	defer x.end()
	if !x.open(v, a, false) {
		return nil, nil
	}
	s := &summaries{
		ask: a, latest: map[uint32]uint32{}, brands: map[[2]uint32]*domain.Standing{}, domains: map[visited]*domain.DomainVisits{},
	}
	take := s.brand
	if a.Plan.visits != nil {
		take = s.visit
	}
	err := x.scanAll(a, func(m scannedRow) {
		if take(&m) {
			s.latest[m.ord] = max(s.latest[m.ord], m.time)
		}
	})
	if err != nil {
		return nil, err
	}
	return s.list(), nil
}

// brand counts an action for its brand; false where the brand is in no list.
func (s *summaries) brand(m *scannedRow) bool {
	if !s.ask.Brands.listed(m.dense) {
		return false
	}
	key := [2]uint32{m.ord, m.dense}
	b := s.brands[key]
	if b == nil {
		b = &domain.Standing{Brand: m.brand}
		s.brands[key] = b
	}
	w := s.ask.Plan.pointsOf(m.kind.Definition)
	b.Score += uint64(m.points&w.keep + w.add)
	b.Actions++
	return true
}

// visit notes a visit on its domain.
func (s *summaries) visit(m *scannedRow) bool {
	_, number, placed := m.kind.Definition.Visit()
	if !placed || int(number) >= len(s.ask.Places) || s.ask.Places[number].Domain == "" {
		return true
	}
	key := visited{m.ord, s.ask.Places[number].Domain}
	d := s.domains[key]
	if d == nil {
		d = &domain.DomainVisits{Domain: key.text, First: m.time}
		s.domains[key] = d
	}
	d.First = min(d.First, m.time)
	d.Last = max(d.Last, m.time)
	return true
}

// list is the summaries, in no order.
func (s *summaries) list() []domain.MemberSummary {
	out, at := make([]domain.MemberSummary, 0, len(s.latest)), make(map[uint32]int, len(s.latest))
	for ord, latest := range s.latest {
		at[ord] = len(out)
		out = append(out, domain.MemberSummary{Member: s.ask.ID(domain.Ordinal(ord)), Latest: latest})
	}
	for key, b := range s.brands {
		of := &out[at[key[0]]]
		of.Brands = append(of.Brands, *b)
	}
	for key, d := range s.domains {
		of := &out[at[key.ord]]
		of.Domains = append(of.Domains, *d)
	}
	for i := range out {
		of := &out[i]
		slices.SortFunc(of.Brands, func(a, b domain.Standing) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Actions, a.Actions), cmp.Compare(a.Brand, b.Brand))
		})
		of.Brands = slices.Clip(of.Brands[:min(len(of.Brands), s.ask.Plan.top.End())])
		slices.SortFunc(of.Domains, func(a, b domain.DomainVisits) int { return cmp.Compare(a.Domain, b.Domain) })
	}
	return out
}
