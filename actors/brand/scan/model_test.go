package scan

import (
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/brand/bitset"
	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
)

// fact is a row and where it belongs.
type fact struct {
	dense uint32
	domain.Row
}

// question is a question with all that the model needs to answer it.
type question struct {
	q       domain.Question
	dense   uint32
	members []uint64
	brands  *Directory // of a ranking
}

func (h *question) ask(cold rows.Source) *Ask {
	return &Ask{Plan: NewPlan(&h.q), Brand: h.dense, Members: h.members, Cold: cold, Earlier: cold, Brands: h.brands, ID: memberOf, At: lastSeen, Column: columns[h.q.Shape], Label: labelOf, Contents: says, Search: searches}
}

// counts reports that the fact counts, and in which group.
func (h *question) counts(f *fact) (group uint32, ok bool) {
	if h.dense == rows.EveryBrand && f.dense == rows.Visits || h.dense != rows.EveryBrand && f.dense != h.dense {
		return 0, false
	}
	if f.Time < h.q.Range.From || f.Time >= h.q.Range.To {
		return 0, false
	}
	if h.members != nil && (int(f.Ord>>6) >= len(h.members) || bitset.Get(h.members, uint32(f.Ord)) == 0) {
		return 0, false
	}
	if s := h.q.Filter.Services; len(s) > 0 && !slices.Contains(s, f.Service) {
		return 0, false
	}
	for _, g := range h.q.Groups {
		if g.Definition == f.Definition {
			return g.Group, true
		}
	}
	return 0, false
}

// model is what the views must say, the slow way.
type model map[uint64]*fact // by sequence

func (m model) answer(h *question) domain.Answer {
	switch h.q.Shape {
	case domain.ShapeTally:
		return domain.Answer{Tally: m.tally(h, func(_ *fact, group uint32) uint32 { return group })}
	case domain.ShapeLocation:
		return domain.Answer{Tally: m.tally(h, func(f *fact, _ uint32) uint32 { return uint32(home(f.Ord)) })}
	case domain.ShapeGender:
		return domain.Answer{Tally: m.tally(h, func(f *fact, _ uint32) uint32 { return uint32(gender(f.Ord)) })}
	case domain.ShapeAge:
		return domain.Answer{Tally: m.tally(h, func(f *fact, _ uint32) uint32 { return bandOf(f.Ord, h.q.Range.To) })}
	case domain.ShapeNewcomers:
		return domain.Answer{Tally: m.newcomers(h)}
	case domain.ShapeTimeline:
		return domain.Answer{Timeline: m.timeline(h, func(f *fact) domain.Service { return f.Service })}
	case domain.ShapeDaily:
		return domain.Answer{Timeline: m.timeline(h, func(*fact) domain.Service { return domain.NoService })}
	case domain.ShapeLeaders:
		return domain.Answer{Leaders: m.leaders(h)}
	case domain.ShapeCrossover:
		return domain.Answer{Crossover: m.crossover(h)}
	case domain.ShapeFeed:
		return domain.Answer{Feed: m.feed(h)}
	case domain.ShapeStandings:
		return domain.Answer{Standings: m.standings(h)}
	}
	panic("the model knows no such question")
}

func (m model) tally(h *question, of func(*fact, uint32) uint32) *domain.Tally {
	type pair struct{ group, ord uint32 }
	t, groups, pairs, all := &domain.Tally{}, map[uint32]domain.Count{}, map[pair]bool{}, map[domain.Ordinal]bool{}
	for _, f := range m {
		g, ok := h.counts(f)
		if !ok {
			continue
		}
		g = of(f, g)
		c := groups[g]
		c.Actions++
		if p := (pair{g, uint32(f.Ord)}); !pairs[p] {
			pairs[p] = true
			c.Members++
		}
		groups[g] = c
		t.Total.Actions++
		all[f.Ord] = true
	}
	t.Total.Members = uint64(len(all))
	for g, c := range groups {
		t.Groups = append(t.Groups, domain.GroupCount{Group: g, Count: c})
	}
	slices.SortFunc(t.Groups, func(a, b domain.GroupCount) int { return int(a.Group) - int(b.Group) })
	return t
}

func (m model) timeline(h *question, of func(*fact) domain.Service) *domain.Timeline {
	type cell struct {
		service domain.Service
		day     int // −1: the range
		ord     domain.Ordinal
	}
	first := domain.DayOf(h.q.Range.From)
	t, seen := &domain.Timeline{First: first}, map[cell]bool{}
	var by [domain.Services]*domain.ServiceTimeline
	for _, f := range m {
		if _, ok := h.counts(f); !ok {
			continue
		}
		line := of(f)
		s := by[line]
		if s == nil {
			s = &domain.ServiceTimeline{Service: line, Days: make([]domain.Count, domain.DayOf(h.q.Range.To-1)-first+1)}
			by[line] = s
		}
		day := int(domain.DayOf(f.Time) - first)
		for _, c := range []struct {
			at    int
			count *domain.Count
		}{{day, &s.Days[day]}, {-1, &s.Total}} {
			c.count.Actions++
			if k := (cell{line, c.at, f.Ord}); !seen[k] {
				seen[k] = true
				c.count.Members++
			}
		}
	}
	for _, s := range by {
		if s != nil {
			t.Services = append(t.Services, *s)
		}
	}
	return t
}

// world says what random rows and questions are like.
type world struct {
	members, brands, definitions int
	start, span                  uint32
}

func (w *world) row(r *rand.Rand, seq uint64, at uint32) fact {
	f := fact{dense: uint32(min(r.IntN(w.brands), r.IntN(w.brands), r.IntN(w.brands)))}
	if r.IntN(20) == 0 {
		at = w.start + uint32(r.IntN(int(at-w.start)+1))
	}
	f.Row = domain.Row{
		Seq: seq, Account: 1, Ord: domain.Ordinal(r.IntN(w.members)), Time: at - uint32(r.IntN(30)), Brand: domain.BrandID(f.dense + 1000),
		Definition: w.definition(r), Points: uint16(r.IntN(100)), Service: domain.Service(min(r.IntN(domain.Services), r.IntN(domain.Services))),
	}
	if f.dense == rows.Visits {
		f.Brand = 0
	}
	return f
}

// definition is a random one; the first two are built in.
func (w *world) definition(r *rand.Rand) domain.DefinitionID {
	if i := min(r.IntN(w.definitions), r.IntN(w.definitions)); i >= 2 {
		return domain.FirstDefinition + domain.DefinitionID(i)
	} else {
		return domain.DefinitionID(i + 1)
	}
}

func (w *world) question(r *rand.Rand) *question {
	h := &question{dense: uint32(r.IntN(w.brands))}
	shapes := []domain.Shape{
		domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeDaily, domain.ShapeLeaders, domain.ShapeCrossover, domain.ShapeFeed,
		domain.ShapeGender, domain.ShapeAge, domain.ShapeNewcomers, domain.ShapeStandings,
	}
	h.q.Account, h.q.Shape = 1, shapes[r.IntN(len(shapes))]
	switch r.IntN(6) {
	case 0, 1:
		h.dense = rows.EveryBrand
	case 2, 3:
		h.dense = uint32(r.IntN(3))
	}
	h.q.Range.From = w.start + uint32(r.IntN(int(w.span)))
	h.q.Range.To = h.q.Range.From + uint32(r.IntN(int(w.span)))
	switch r.IntN(6) {
	case 0:
		h.q.Range = domain.Range{From: w.start - 86400, To: w.start + 2*w.span}
	case 1:
		h.q.Range.To = h.q.Range.From + uint32(r.IntN(3*3600))
	}
	for i := range w.definitions {
		d := domain.DefinitionID(i + 1)
		if i >= 2 {
			d = domain.FirstDefinition + domain.DefinitionID(i)
		}
		if r.IntN(5) > 0 {
			h.q.Groups = append(h.q.Groups, domain.Group{Definition: d, Group: uint32(d)})
		}
	}
	switch r.IntN(4) {
	case 0:
		for i := range h.q.Groups {
			h.q.Groups[i].Group = 7 - h.q.Groups[i].Group%3
		}
	case 1:
		h.q.Groups = h.q.Groups[:min(1, len(h.q.Groups))]
	}
	if r.IntN(3) == 0 {
		for s := range domain.Services {
			if r.IntN(3) == 0 {
				h.q.Filter.Services = append(h.q.Filter.Services, domain.Service(s))
			}
		}
	}
	if r.IntN(2) == 0 {
		h.members = make([]uint64, r.IntN((w.members+63)/64+2))
		for i := range h.members {
			h.members[i] = r.Uint64() & r.Uint64()
		}
	}
	if r.IntN(5) == 0 { // one alone, who may have no row yet
		o := r.IntN(w.members + 64)
		h.members = make([]uint64, o>>6+1+r.IntN(2))
		h.members[o>>6] = 1 << (o & 63)
	}
	w.ranking(r, h)
	w.listing(r, h)
	w.behind(r, h)
	return h
}
