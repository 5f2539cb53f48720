package scan

import (
	"cmp"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Registrations and logins are rows of the visits, counted as actions are: what differs is the
// group of a kind, which names service, registration or login, and a place of the shard.

// putVisits prepares a question about visits.
func (p *Plan) putVisits(q *domain.Question) {
	switch {
	case q.Shape == domain.ShapeTally && q.Visits.By == domain.VisitsByKind:
		p.labels = []uint32{uint32(domain.Registration), uint32(domain.Login)}
	case q.Shape == domain.ShapeTally, q.Shape == domain.ShapeTimeline:
		p.labels = make([]uint32, domain.Services)
		for s := range p.labels {
			p.labels[s] = uint32(s)
		}
	default:
		p.labels = []uint32{0}
	}
}

// sites are the places of a question's visits in one shard.
type sites struct {
	plan   *Plan
	places []domain.VisitPlace

	// Of a count by domain.
	number  map[string]uint32 // of a domain
	domains []string          // by that number; the first is of no domain
	of      []uint32          // by number of the place: that of its domain
	groups  []uint32          // 0, 1, 2 …: of each domain its registrations, then its logins
}

// begin begins with a question, and gives its groups.
func (s *sites) begin(p *Plan, places []domain.VisitPlace) []uint32 {
	s.plan, s.places = p, places
	if p.shape != domain.ShapeDomains {
		return p.labels
	}
	if s.number == nil {
		s.number = map[string]uint32{}
	}
	clear(s.number)
	s.domains, s.number[""] = append(s.domains[:0], ""), 0
	s.of = bitset.Sized(s.of, len(places))
	for i := range places {
		text := places[i].Domain
		at, ok := s.number[text]
		if !ok {
			at = uint32(len(s.domains))
			s.domains, s.number[text] = append(s.domains, text), at
		}
		s.of[i] = at
	}
	for len(s.groups) < 2*len(s.domains) {
		s.groups = append(s.groups, uint32(len(s.groups)))
	}
	return s.groups[:2*len(s.domains)]
}

// end drops everything that the question held.
func (s *sites) end() {
	s.plan, s.places = nil, nil
	clear(s.number)
	clear(s.domains)
}

// groupOf is the place of the group in which a kind of visits counts; false when it does not
// count.
func (s *sites) groupOf(k rows.Kind) (uint32, bool) {
	p, q := s.plan, s.plan.visits
	if int(k.Service) >= domain.Services || p.services>>k.Service&1 == 0 {
		return 0, false
	}
	of, number, placed := k.Definition.Visit()
	var at domain.VisitPlace
	if placed && int(number) < len(s.places) {
		at = s.places[number]
	}
	switch {
	case of != domain.Registration && of != domain.Login,
		q.Of != 0 && q.Of != of,
		q.Domain != "" && q.Domain != at.Domain,
		q.Page != "" && q.Page != at.Page:
		return 0, false
	}
	kind := uint32(of - domain.Registration)
	switch {
	case p.shape == domain.ShapeDomains && placed && int(number) < len(s.of):
		return 2*s.of[number] + kind, true
	case p.shape == domain.ShapeDomains:
		return kind, true
	case len(p.labels) == 1:
		return 0, true
	case q.By == domain.VisitsByKind && p.shape == domain.ShapeTally:
		return kind, true
	}
	return uint32(k.Service), true
}

// visitCounts counts visits where that is more than counting actions.
type visitCounts struct {
	tally   *tally
	visitor *rowScan
}

// domains counts by domain: rows are put in order of their groups, so that those of a domain are
// together.
func (x visitCounts) domains(v *rows.View, a *Ask) (*domain.Domains, error) {
	t := x.tally
	defer t.end()
	out := &domain.Domains{}
	if err := t.begin(v, a, false); err != nil {
		return nil, err
	}
	if t.settle() == 0 {
		return out, nil
	}
	t.at = bitset.Sized(t.at, int(t.targets)+1)
	t.countGroups()
	if t.fillGroups(); t.cancelled {
		return out, nil
	}
	t.seen = bitset.Grown(t.seen, t.words*64)
	out.Total.Actions = uint64(t.at[t.targets-1])
	out.Total.Members = t.distinct(t.grouped[:t.at[t.targets-1]])
	from := uint32(0)
	for i, text := range t.sites.domains {
		registered, end := t.at[2*i], t.at[2*i+1]
		if end > from {
			row := domain.DomainCount{Domain: text, Registrations: uint64(registered - from)}
			row.Count = domain.Count{Actions: uint64(end - from), Members: t.distinct(t.grouped[from:end])}
			out.Rows, out.Registrations = append(out.Rows, row), out.Registrations+row.Registrations
		}
		from = end
	}
	slices.SortFunc(out.Rows, func(a, b domain.DomainCount) int { return cmp.Compare(a.Domain, b.Domain) })
	return out, nil
}

// valid is a tally of the visits of records that are valid now.
func (x visitCounts) valid(v *rows.View, a *Ask) (*domain.Tally, error) {
	sel := x.visitor.selection
	defer x.visitor.end()
	out := &domain.Tally{}
	if !sel.open(v, a, false) {
		return out, nil
	}
	counts := make([]domain.Count, len(sel.labels))
	members := make([]uint64, sel.words*(len(counts)+1)) // by group, and of all groups, the members
	err := x.visitor.scanAll(a, func(r scannedRow) {
		if s := a.Valid[r.kind.Service]; int(r.ord>>6) >= len(s) || bitset.Get(s, r.ord) == 0 {
			return
		}
		if _, void := a.Void[r.seq]; void {
			return
		}
		g, ok := sel.sites.groupOf(r.kind)
		if !ok {
			return
		}
		counts[g].Actions++
		out.Total.Actions++
		counts[g].Members += mark(members[int(g)*sel.words:], r.ord)
		out.Total.Members += mark(members[len(counts)*sel.words:], r.ord)
	})
	for g, n := range counts {
		if n.Actions > 0 {
			out.Groups = append(out.Groups, domain.GroupCount{Group: sel.labels[g], Count: n})
		}
	}
	return out, err
}

// mark puts a member into a set; 1: it was not in it.
func mark(set []uint64, ord uint32) uint64 {
	w, bit := &set[ord>>6], uint64(1)<<(ord&63)
	fresh := ^*w >> (ord & 63) & 1
	*w |= bit
	return fresh
}

// byVisit is the question with members ranked by their latest visit that counts.
func (x *ranking) byVisit(a *Ask) (*Ask, error) {
	x.visits = bitset.Sized(x.visits, x.words*64)
	clear(x.visits)
	err := x.scanAll(a, func(r scannedRow) { x.visits[r.ord] = max(x.visits[r.ord], r.time) })
	one := *a
	one.At = func(ord domain.Ordinal) domain.Second { return x.visits[ord] }
	return &one, err
}
