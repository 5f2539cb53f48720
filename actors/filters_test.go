package actors

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// attendee is a member that says what it is.
type attendee struct {
	reference.Member
	mail    int    // number of its address; 0: none
	version uint32 // of its personal part
	given   domain.Fields
}

// say registers the attendee, or meets it again, with values made up again.
func (a *attendee) say(r *harness, rnd *rand.Rand, n int) {
	one := func(words ...string) string { return words[rnd.IntN(len(words))] }
	country, geo, region, d := one("", "DE", "US", "FR"), one("", "", "BE"), one("", "Be", "BY", "bavaria"), one("", "a.example", "b.example")
	a.Country, a.Region, a.Paid = domain.CountryCode(country), strings.ToLower(cmp.Or(geo, region)), rnd.IntN(2) == 0
	if d != "" {
		a.Domains = append(a.Domains, d)
	}
	id := identityOf(n)
	c := &domain.RegisterMember{
		Application: 1, Identity: id, Service: domain.LastFM, Domain: d,
		Given: domain.Fields{
			{Field: domain.Region, Value: region},
			{Field: domain.Country, Value: country},
			{Field: domain.GeoRegion, Value: geo},
		},
		Record: domain.Fields{{Field: domain.RecordPaid, Value: fmt.Sprint(map[bool]int{true: 1}[a.Paid])}},
	}
	a.give(rnd, c)
	a.given = c.Given
	a.ID = r.submit(domain.Submission{Account: 1, Slot: id.Slot(), Command: c}).Member
}

// opt opts the attendee in or out.
func (a *attendee) opt(r *harness, rnd *rand.Rand) {
	to := optable[rnd.IntN(len(optable))]
	in := rnd.IntN(2) == 0
	a.Opts[to] = domain.OptState{In: in, Out: !in}
	var c domain.Command = &domain.OptOut{Member: a.ID, Opt: to}
	if in {
		c = &domain.OptIn{Member: a.ID, Opt: to}
	}
	r.submit(domain.Submission{Account: 1, Slot: a.ID.Slot(), Command: c})
}

var optable = []domain.Opt{{Kind: domain.OptBrand, ID: 1}, {Kind: domain.OptSegment, ID: 1}}

func randomFilter(rnd *rand.Rand, population []*attendee) (f domain.Filter) {
	some := func() bool { return rnd.IntN(6) == 0 }
	few := func() (ids []domain.MemberID) {
		for range 1 + rnd.IntN(9) {
			ids = append(ids, population[rnd.IntN(len(population))].ID)
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

// TestI12_FiltersPassTheSameMembers asks random questions, of one
// brand and of all, with random filters and ranges, in each of the shapes that count,
// and compares them with a naive model; the second time after a start from disk.
func TestI12_FiltersPassTheSameMembers(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 5))
	const fans, brands, start = 60, 4, 1_600_041_600
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(brands)
	population := make([]*attendee, fans)
	for i := range population {
		population[i] = &attendee{Member: reference.Member{Services: []domain.Service{domain.LastFM}, Opts: map[domain.Opt]domain.OptState{}}}
		population[i].say(r, rnd, i)
	}
	for range 2 * fans {
		i := rnd.IntN(fans)
		if rnd.IntN(2) == 0 {
			population[i].say(r, rnd, i)
		}
		population[i].opt(r, rnd)
		if i%3 == 0 {
			population[i].attach(r, i)
		}
	}
	var acts []domain.Activity
	for range 5000 {
		acts = append(acts, domain.Activity{
			Member: population[rnd.IntN(fans)].ID, Definition: domain.DefinitionID(100 + rnd.IntN(8)/7), Brand: domain.BrandID(1 + rnd.IntN(brands)*rnd.IntN(2)),
			Time: start + rnd.Int64N(6*86400), Hash: rnd.Uint64(), Service: domain.LastFM,
		})
	}
	r.publish(acts...)
	r.settled()
	var members []reference.Member
	for _, a := range population {
		members = append(members, a.Member)
	}
	m, found := modelOf(members, acts), 0
	for range 2 {
		r.checkAddresses(t, rnd, population)
		for range sampled(150) {
			q := domain.Question{Account: 1, Brand: domain.BrandID(rnd.IntN(brands + 1)), Filter: randomFilter(rnd, population), Groups: []domain.Group{{Definition: 100}}}
			randomTraits(rnd, &q.Filter, brands)
			q.Range.From = start + rnd.Uint32N(6*86400)
			q.Range.To = q.Range.From + 1 + rnd.Uint32N(6*86400)
			for _, q.Shape = range []domain.Shape{
				domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeDaily, domain.ShapeLeaders, domain.ShapeFeed, domain.ShapeCrossover,
			} {
				q.Listing.Every, q.Top.Audience = true, true
				r.compare(m, &q)
			}
			if len(m.Passing(&q)) > 0 {
				found++
			}
		}
		r.close()
		r.open()
	}
	if found < sampled(80) {
		t.Errorf("%d of %d questions let anybody through", found, 2*sampled(150))
	}
	t.Log(found, "of", 2*sampled(150), "questions let somebody through")
}
