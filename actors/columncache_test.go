package actors

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand/rows"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// live publishes so many activities of any member, but those of a brand.
func (g *graveyard) live(rnd *rand.Rand, n, brands int, but domain.BrandID) {
	from := len(g.acts)
	for range n {
		if a := g.act(rnd, len(g.acts), brands); a.Brand != but {
			g.did(a)
		}
	}
	g.publish(from)
	g.r.settled()
}

// askedOf is a question about a brand, or with 0 about all.
func askedOf(brand domain.BrandID, shape domain.Shape) *domain.Question {
	return &domain.Question{
		Account: 1, Brand: brand, Shape: shape, Range: domain.Range{From: 1_600_000_000, To: 1_609_000_000},
		Groups: []domain.Group{{Definition: 100}, {Definition: 101}}, Listing: domain.Listing{Limit: 50},
	}
}

// A new budget of columns holds while the node runs, and answers stay what they were.
func TestColumns_AreEvictedAndReloadedWithinTheBudget(t *testing.T) {
	t.Parallel()
	const fans, brands = 30, 3
	rnd := rand.New(rand.NewPCG(3, 15))
	g := newGraveyard(newHarness(t, 1, Options{}), fans, brands)
	r := g.r
	g.live(rnd, 8_000, brands, 0)
	answers := func() (all []*domain.Tally) {
		for b := domain.BrandID(1); b <= brands; b++ {
			all = append(all, r.ask(askedOf(b, domain.ShapeTally)).Tally)
		}
		return all
	}
	people := fans
	commits := func() { people = r.commitOften(people) }
	cold := func() (n int64) { return r.node.Status().Shards[0].Evicted }

	want := answers()
	commits()
	held := r.node.Resident()
	if cold() != 0 {
		t.Fatalf("%d brands are cold", cold())
	}
	maxBytes := held * 9 / 10
	r.node.KeepResident(maxBytes)
	commits()
	low := r.node.Resident()
	if cold() == 0 || low > maxBytes || low != r.node.Status().Shards[0].Columns {
		t.Fatalf("%d brands are cold, columns take %d bytes of %d", cold(), low, maxBytes)
	}
	if diff := cmp.Diff(want, answers()); diff != "" {
		t.Fatal(diff)
	}
	r.node.KeepResident(0)
	for range 20 { // a question about a cold brand brings it back, a little later
		if diff := cmp.Diff(want, answers()); diff != "" {
			t.Fatal(diff)
		}
		if commits(); r.node.Resident() > low*11/10 {
			return
		}
	}
	t.Fatalf("columns take %d bytes, when brands were cold %d", r.node.Resident(), low)
}

// commitOften commits as often as may be before the shards look at their budget, by registering
// members from the n-th on: they add no row.
func (r *harness) commitOften(people int) int {
	for range accounts.LookEveryCommits {
		r.register(people)
		people++
	}
	return people
}

// What stays is what is asked about, however much comes for other brands since.
func TestColumns_OfABrandAskedAboutStay(t *testing.T) {
	t.Parallel()
	const fans, brands = 30, 3
	rnd := rand.New(rand.NewPCG(3, 15))
	g := newGraveyard(newHarness(t, 1, Options{}), fans, brands)
	r := g.r
	g.live(rnd, 8_000, brands, 0)
	one := askedOf(2, domain.ShapeTally)
	r.ask(one)
	g.live(rnd, 1_000, brands, one.Brand)
	people := r.commitOften(fans)
	r.node.KeepResident(r.node.Resident() - 1)
	r.commitOften(people)
	if cold := r.coldOf(); len(cold) == 0 || slices.Contains(cold, one.Brand) {
		t.Errorf("cold are %v: brand %d was asked about", cold, one.Brand)
	}
}

// newAudience is a node with rows of three brands, all of which have columns of their own; weights
// are their parts.
func newAudience(t *testing.T, weights ...int) *harness {
	rnd := rand.New(rand.NewPCG(3, 15))
	g := newGraveyard(newHarness(t, 1, Options{}), 30, 3)
	var brands []domain.BrandID
	for i, n := range weights {
		brands = append(brands, slices.Repeat([]domain.BrandID{domain.BrandID(i + 1)}, n)...)
	}
	for range 12_000 {
		a := g.act(rnd, len(g.acts), 3)
		a.Brand = brands[rnd.IntN(len(brands))]
		g.did(a)
	}
	g.publish(0)
	g.r.settled()
	return g.r
}

// coldOf is the brands that are cold in the view that questions see.
func (r *harness) coldOf() (cold []domain.BrandID) {
	v := r.node.running[0].View.Acquire()
	defer v.Release()
	for _, c := range v.Account(1).Rows.Cold(rows.EveryBrand) {
		cold = append(cold, c.Brand)
	}
	slices.Sort(cold)
	return cold
}

// An idle shard evicts down to a new budget, and its readers release what it evicted.
func TestColumns_IdleShardEvicts(t *testing.T) {
	t.Parallel()
	r := newAudience(t, 4, 1, 1)
	r.commitOften(30)
	maxBytes := r.node.Resident() / 2
	before := r.node.running[0].Applied.Load()
	r.node.KeepResident(maxBytes)
	r.eventually("evicting", func() bool { return r.node.Resident() <= maxBytes && len(r.coldOf()) > 0 })
	if now := r.node.running[0].Applied.Load(); now != before {
		t.Errorf("applied up to %d, then %d: the shard was not idle", before, now)
	}
}

// Of brands that were never asked about the smallest are evicted first: after a start it is
// the large ones that questions will be about, and that cost most to read from disk.
func TestColumns_SmallestBrandIsEvictedFirst(t *testing.T) {
	t.Parallel()
	r := newAudience(t, 4, 1, 1)
	r.restart() // nothing was asked or fed in this life
	r.settled()
	r.commitOften(30)
	r.node.KeepResident(r.node.Resident() - 1)
	r.eventually("evicting", func() bool { return len(r.coldOf()) > 0 })
	if cold := r.coldOf(); slices.Contains(cold, 1) {
		t.Errorf("cold are %v: brand 1 has four times the rows of the others", cold)
	}
}

// Brands without columns of their own are evicted too, where they take more than they may,
// and answers about one of them and about all stay what they were, whatever comes or goes.
func TestColumns_SmallBrandsAreEvicted(t *testing.T) {
	t.Parallel()
	const fans, brands = 30, 24
	rnd := rand.New(rand.NewPCG(3, 15))
	g := newGraveyard(newHarness(t, 1, Options{}), fans, brands)
	r := g.r
	all := func() (out []domain.Answer) {
		for b := range domain.BrandID(brands + 1) {
			for _, shape := range []domain.Shape{domain.ShapeTally, domain.ShapeCrossover, domain.ShapeTimeline, domain.ShapeFeed} {
				a := r.ask(askedOf(b, shape))
				out = append(out, domain.Answer{Tally: a.Tally, Timeline: a.Timeline, Crossover: a.Crossover, Feed: a.Feed})
			}
		}
		return out
	}
	g.live(rnd, 6_000, brands, 0)
	people := r.commitOften(fans)
	want := all()
	maxBytes := r.node.Resident() / 4
	r.node.KeepResident(maxBytes)
	r.eventually("evicting", func() bool { return r.node.Resident() <= maxBytes && len(r.coldOf()) > brands/2 })
	if diff := cmp.Diff(want, all()); diff != "" {
		t.Fatal(diff)
	}
	g.live(rnd, 3_000, brands, 0) // for cold brands too
	r.eventually("evicting again", func() bool {
		people = r.commitOften(people)
		return r.node.Resident() <= maxBytes
	})
	within := all()
	if now := r.node.Resident(); now > maxBytes {
		t.Errorf("columns take %d bytes of %d", now, maxBytes)
	}
	r.restart()
	r.settled()
	if diff := cmp.Diff(within, all()); diff != "" {
		t.Fatal(diff)
	}
	r.node.KeepResident(0)
	r.commitOften(people)
	if diff := cmp.Diff(within, all()); diff != "" {
		t.Fatal(diff)
	}
}

// A cold brand comes back instead of those that were not asked about since it was the
// time before; asked about once, it evicts none.
func TestColumns_ColdBrandReplacesOneNotAskedAbout(t *testing.T) {
	t.Parallel()
	r := newAudience(t, 1, 1, 1)
	people := r.commitOften(30)
	ask := func(b domain.BrandID) { r.tally(b) }
	ask(1)
	ask(2) // then 3 is the one never asked about
	r.node.KeepResident(r.node.Resident() - 1)
	r.eventually("evicting", func() bool { return len(r.coldOf()) > 0 })
	if cold := r.coldOf(); !slices.Equal(cold, []domain.BrandID{3}) {
		t.Fatalf("cold are %v: brand 3 was never asked about", cold)
	}
	r.node.KeepResident(r.node.Resident() + 8<<10) // for visits of people to come, and no room for another brand
	ask(3)
	people = r.commitOften(people)
	if cold := r.coldOf(); !slices.Equal(cold, []domain.BrandID{3}) {
		t.Fatalf("cold are %v after one question about 3", cold)
	}
	r.eventually("brand 3 comes back", func() bool {
		ask(3)
		people = r.commitOften(people)
		return !slices.Contains(r.coldOf(), 3)
	})
	if cold := r.coldOf(); len(cold) == 0 || slices.Contains(cold, 3) {
		t.Errorf("cold are %v, brand 3 is asked about", cold)
	}
}

// A page of a feed reads the buckets of the store that have its rows, not those of the range: the
// others are counted without.
func TestColumns_PageOfAFeedReadsItsOwnBuckets(t *testing.T) {
	t.Parallel()
	const fans, brands, limit = 30, 24, 5
	rnd := rand.New(rand.NewPCG(3, 15))
	g := newGraveyard(newHarness(t, 1, Options{}), fans, brands)
	r := g.r
	g.live(rnd, 6_000, brands, 0)
	people := r.commitOften(fans)
	feed := askedOf(0, domain.ShapeFeed)
	feed.Listing = domain.Listing{Every: true, Limit: limit}
	want := r.ask(feed).Feed
	r.node.KeepResident(r.node.Resident() * 5 / 8)
	r.eventually("evicting", func() bool { return len(r.coldOf()) > brands/3 })
	r.commitOften(people)
	read := func(q *domain.Question) (*domain.Answer, uint64) {
		before := r.stats().Buckets
		a := r.ask(q)
		return a, r.stats().Buckets - before
	}
	_, all := read(askedOf(0, domain.ShapeTally))
	for feed.Listing.After == nil || len(want.Items) == limit {
		got, page := read(feed)
		if diff := cmp.Diff(want, got.Feed); diff != "" && feed.Listing.After == nil {
			t.Fatal(diff)
		}
		if want = got.Feed; page > 2*limit || all < 6*limit {
			t.Fatalf("a page of %d read %d buckets, a tally of all %d", limit, page, all)
		}
		if n := len(want.Items); n > 0 {
			last := want.Items[n-1].Row
			feed.Listing.After = &domain.FeedAfter{At: int64(last.Time), ID: last.ID()}
			feed.Range.To -= 86400 // it need not begin where the page before did
		}
	}
}
