package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// crossover counts the members that brands share.
type crossover struct {
	*selection
	*memberSet
	wanted   []uint64 // members that are counted
	pairs    []uint64 // brand << 32 | ordinal
	excluded []uint64 // rows of a chunk that do not count
}

// answer counts, for every other brand that the directory lists, the members
// with an action both for it and for the brand asked about; of EveryBrand the
// members of each brand. The error is ErrCold, or that of the Source.
func (x *crossover) answer(v *rows.View, a *Ask) (*domain.Crossover, error) {
	defer x.end()
	out := &domain.Crossover{}
	if !x.open(v, a, false) {
		return out, nil
	}
	x.seen = bitset.Grown(x.seen, x.words*64)
	x.wanted = bitset.Sized(x.wanted, x.words)
	clear(x.wanted)
	union := x.wanted // of EveryBrand: the members met
	if a.Brand != rows.EveryBrand {
		if err := x.selectRows(a); err != nil {
			return nil, err
		}
		x.takeInto(union)
		x.filterBy(x.wanted)
		union = nil
		if a.Brand == rows.Visits {
			x.kindTargets.begin(a.Plan, v.Kinds, nil, false) // the other brands' rows are actions
		}
		if out.Members = bitset.Count(x.wanted); out.Members == 0 {
			return out, nil
		}
	}
	for i := range v.Owned() {
		s := v.OwnSet(i)
		switch {
		case s.Dense == rows.Visits || s.Dense == a.Brand:
			continue
		case union == nil && !a.Brands.listed(s.Dense):
			continue
		}
		n, err := x.countSet(s, a, union)
		if err != nil {
			return nil, err
		}
		if n > 0 && a.Brands.listed(s.Dense) {
			out.Brands = append(out.Brands, domain.BrandMembers{Brand: s.ID, Members: n})
		}
	}
	x.countPool(v.Rest, a, union, out)
	if union != nil {
		out.Members = bitset.Count(union)
	}
	return out, nil
}

// countSet counts the members of a brand with columns of its own.
func (x *crossover) countSet(s *rows.Set, a *Ask, union []uint64) (n uint64, err error) {
	x.reset()
	if s.Cold {
		err = x.addCold(s, a.Cold)
	} else {
		for _, r := range s.Runs {
			x.addSpan(r)
		}
	}
	tail := s.TailAt(x.view.Seq)
	if x.fewerThanSet(len(tail.Rows)) {
		x.addTail(tail)
		x.gatherAll()
		bitset.AddAll(union, x.ord)
		return x.distinct(x.ord), x.result(err)
	}
	x.addRows()
	x.addTailMembers(tail)
	return x.take(union), x.result(err)
}

// standings sums up what the question's members did, brand by brand: all brands that
// the directory lists, in any order. It is for few members: of many it would be slow.
// The error is ErrCold, or that of the Source.
func (x *rowScan) standings(v *rows.View, a *Ask) (*domain.Standings, error) {
	defer x.end()
	out := &domain.Standings{}
	if !x.open(v, a, false) {
		return out, nil
	}
	at := map[uint32]int{}
	err := x.scanAll(a, func(m scannedRow) {
		if !a.Brands.listed(m.dense) {
			return
		}
		i, ok := at[m.dense]
		if !ok {
			i = len(out.Brands)
			at[m.dense] = i
			out.Brands = append(out.Brands, domain.Standing{Brand: m.brand})
		}
		w := a.Plan.pointsOf(m.kind.Definition)
		s := &out.Brands[i]
		s.Score += uint64(m.points&w.keep + w.add)
		s.Actions++
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

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
