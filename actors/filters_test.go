package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// attendee is a member as the naive side of the filters knows it.
type attendee struct {
	id            domain.MemberID
	paid          bool
	country       string
	geo, region   string
	domains, opts map[string]bool
	traits
}

// say registers the attendee, or meets it again, with values made up anew.
func (a *attendee) say(r *harness, rnd *rand.Rand, n int) {
	one := func(words ...string) string { return words[rnd.IntN(len(words))] }
	a.country, a.paid = one("", "DE", "US", "FR"), rnd.IntN(2) == 0
	a.geo, a.region = one("", "", "BE"), one("", "Be", "BY", "bavaria")
	d := one("", "a.example", "b.example")
	if d != "" {
		a.domains[d] = true
	}
	id := identityOf(n)
	c := &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, UID: fmt.Sprint(n), Domain: d,
		Given: domain.Fields{
			{Field: domain.Region, Value: a.region},
			{Field: domain.Country, Value: a.country},
			{Field: domain.GeoRegion, Value: a.geo},
		},
		Record: domain.Fields{{Field: domain.RecordPaid, Value: fmt.Sprint(map[bool]int{true: 1}[a.paid])}},
	}
	a.give(rnd, c)
	a.id = r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: c}).Member
}

// opt opts the attendee in or out.
func (a *attendee) opt(r *harness, rnd *rand.Rand) {
	to := optable[rnd.IntN(len(optable))]
	in := rnd.IntN(2) == 0
	a.opts[to.Value()] = in
	var c domain.Command = &domain.OptOut{Member: a.id, Opt: to}
	if in {
		c = &domain.OptIn{Member: a.id, Opt: to}
	}
	r.submit(domain.Submission{Account: 1, Slot: a.id.Slot(), Command: c})
}

var optable = []domain.Opt{{Kind: domain.OptBrand, ID: 1}, {Kind: domain.OptSegment, ID: 1}}

// passes reports that the filter lets the attendee through.
func (a *attendee) passes(q *domain.Question) bool {
	f := &q.Filter
	region := strings.ToLower(a.geo)
	if region == "" {
		region = strings.ToLower(a.region)
	}
	return (len(f.Members) == 0 || slices.Contains(f.Members, a.id)) && !slices.Contains(f.Exclude, a.id) &&
		(len(f.Countries) == 0 || a.country != "" && slices.Contains(f.Countries, domain.CountryCode(a.country))) &&
		(len(f.Regions) == 0 || slices.Contains(f.Regions, region)) && (f.Domain == "" || a.domains[f.Domain]) &&
		(f.OptIn == "" || a.opts[f.OptIn]) && (!f.Paid || a.paid) && a.chosen(q)
}

func randomFilter(rnd *rand.Rand, crowd []*attendee) (f domain.Filter) {
	some := func() bool { return rnd.IntN(6) == 0 }
	few := func() (ids []domain.MemberID) {
		for range 1 + rnd.IntN(9) {
			ids = append(ids, crowd[rnd.IntN(len(crowd))].id)
		}
		ids = append(ids, 1<<40)
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	if some() {
		f.Members = few()
	}
	if some() {
		f.Exclude = few()
	}
	if some() {
		f.Countries = []uint16{domain.CountryCode("DE"), domain.CountryCode("US")}[:1+rnd.IntN(2)]
	}
	if some() {
		f.Regions = []string{"be", "by", "bavaria"}[rnd.IntN(2):][:1+rnd.IntN(2)]
	}
	if some() {
		f.Domain = []string{"a.example", "b.example", "nobody.example"}[rnd.IntN(3)]
	}
	if some() {
		f.OptIn = optable[rnd.IntN(len(optable))].Value()
	}
	f.Paid = some()
	return f
}

// TestI12FiltersLetTheSameMembersThroughInEveryShape asks random questions, of one
// brand and of all, with random filters and ranges, in each of the shapes that count,
// and compares them with a naive model; the second time after a start from disk.
func TestI12FiltersLetTheSameMembersThroughInEveryShape(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 5))
	const fans, brands, start = 60, 4, 1_600_041_600
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	crowd := make([]*attendee, fans)
	for i := range crowd {
		crowd[i] = &attendee{domains: map[string]bool{}, opts: map[string]bool{}}
		crowd[i].say(r, rnd, i)
	}
	for range 2 * fans {
		i := rnd.IntN(fans)
		if rnd.IntN(2) == 0 {
			crowd[i].say(r, rnd, i)
		}
		crowd[i].opt(r, rnd)
		if i%3 == 0 {
			crowd[i].attach(r, i)
		}
	}
	var acts []domain.Activity
	for range 5000 {
		acts = append(acts, domain.Activity{
			Member: crowd[rnd.IntN(fans)].id, Definition: domain.DefinitionID(100 + rnd.IntN(8)/7), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
			Time: start + rnd.Int64N(6*86400), Hash: rnd.Uint64(), Service: domain.LastFM,
		})
	}
	r.publish(acts...)
	r.settled()
	acts = counting(acts, crowd)
	found := 0
	for again := range 2 {
		r.checkAddresses(t, rnd, crowd)
		for range 150 {
			q := domain.Question{Account: 1, Brand: domain.BrandID(rnd.IntN(brands + 1)), Filter: randomFilter(rnd, crowd), Groups: []domain.Group{{Definition: 100}}}
			randomTraits(rnd, &q.Filter, brands)
			q.Range.From = start + rnd.Uint32N(6*86400)
			q.Range.To = q.Range.From + 1 + rnd.Uint32N(6*86400)
			if err := r.checkShapes(&q, crowd, acts); err != nil {
				t.Fatalf("seed %d, start %d: %+v: %v", seed, again+1, q, err)
			}
			if slices.ContainsFunc(crowd, func(a *attendee) bool { return a.passes(&q) }) {
				found++
			}
		}
		r.close()
		r.open()
	}
	if found < 80 {
		t.Errorf("%d of 300 questions let anybody through", found)
	}
	t.Log(found, "of 300 questions let somebody through")
}

// tallied is a naive count.
type tallied struct {
	actions uint64
	who     map[domain.MemberID]bool
}

func (c *tallied) add(id domain.MemberID) {
	if c.who == nil {
		c.who = map[domain.MemberID]bool{}
	}
	c.actions++
	c.who[id] = true
}

func (c *tallied) is() domain.Count {
	return domain.Count{Actions: c.actions, Members: uint64(len(c.who))}
}

// checkShapes asks a question in each shape.
func (r *harness) checkShapes(q *domain.Question, crowd []*attendee, acts []domain.Activity) error {
	var total tallied
	days, lands := map[uint32]*tallied{}, map[uint32]*tallied{}
	into := func(m map[uint32]*tallied, k uint32, id domain.MemberID) {
		if m[k] == nil {
			m[k] = &tallied{}
		}
		m[k].add(id)
	}
	by := map[domain.MemberID]*attendee{}
	for _, a := range crowd {
		by[a.id] = a
	}
	for i := range acts {
		a, who := &acts[i], by[acts[i].Member]
		if a.Definition != 100 || !countsService(&q.Filter) {
			continue
		}
		if at := domain.Second(a.Time); at >= q.Range.From && at < q.Range.To && (q.Brand == 0 || q.Brand == a.Brand) && who.passes(q) {
			total.add(who.id)
			into(days, domain.DayOf(at), who.id)
			into(lands, uint32(domain.CountryCode(who.country)), who.id)
		}
	}
	if err := r.checkRows(q, total.is(), crowd); err != nil {
		return err
	}
	got := map[domain.Shape]*domain.Answer{}
	for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeDaily} {
		q.Shape = shape
		a, err := r.node.Ask(context.Background(), q, domain.Position{})
		if err != nil {
			return err
		}
		got[shape] = a
	}
	tally, place := got[domain.ShapeTally].Tally.Total, got[domain.ShapeLocation].Tally
	if tally != total.is() || place.Total != total.is() || len(place.Groups) != len(lands) {
		return fmt.Errorf("tally %+v, location %+v, want %+v in %d countries", tally, place, total.is(), len(lands))
	}
	for _, g := range place.Groups {
		if c := lands[g.Group]; c == nil || c.is() != g.Count {
			return fmt.Errorf("country %x has %+v, want %+v", g.Group, g.Count, c)
		}
	}
	for _, shape := range []domain.Shape{domain.ShapeTimeline, domain.ShapeDaily} { // all is of one service
		t := got[shape].Timeline
		if len(t.Services) != min(len(days), 1) {
			return fmt.Errorf("shape %d has %d lines of %d days", shape, len(t.Services), len(days))
		}
		for _, line := range t.Services {
			if line.Total != total.is() {
				return fmt.Errorf("shape %d: total %+v, want %+v", shape, line.Total, total.is())
			}
			for i, c := range line.Days {
				if want := days[t.First+uint32(i)]; want == nil && c != (domain.Count{}) || want != nil && want.is() != c {
					return fmt.Errorf("shape %d: day %d has %+v, want %+v", shape, i, c, want)
				}
			}
		}
	}
	return nil
}
