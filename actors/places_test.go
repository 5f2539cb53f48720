package actors

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// keptPlaces is what shards keep of where visits of an account were made, said naively.
type keptPlaces struct {
	max int
	of  [][]domain.VisitPlace // by shard
}

func newKeptPlaces(shards, maxPlaces int) *keptPlaces {
	return &keptPlaces{max: maxPlaces, of: make([][]domain.VisitPlace, shards)}
}

// keep is what a visit at a member of a slot keeps of its place.
func (k *keptPlaces) keep(slot domain.Slot, at domain.VisitPlace, ofSegment bool) domain.VisitPlace {
	shard := slot.Shard(len(k.of))
	known := func(at domain.VisitPlace, maxPlaces int) bool {
		if slices.Contains(k.of[shard], at) {
			return true
		}
		if at.IsZero() || len(k.of[shard]) >= maxPlaces {
			return false
		}
		k.of[shard] = append(k.of[shard], at)
		return true
	}
	site, page := domain.VisitPlace{Domain: at.Domain}, domain.VisitPlace{Page: at.Page}
	siteKnown := known(site, k.max)
	switch {
	case known(at, k.max):
		return at
	case ofSegment && known(page, 2*k.max):
		return page
	case siteKnown:
		return site
	}
	return domain.VisitPlace{}
}

// full reports that a shard has room for no other place.
func (k *keptPlaces) full() bool {
	return slices.ContainsFunc(k.of, func(p []domain.VisitPlace) bool { return len(p) >= k.max })
}

// invent is a place, often one that nothing was visited on before, as clients may give it.
func (k *keptPlaces) invent(rnd *rand.Rand) (at domain.VisitPlace, ofSegment bool) {
	at = loginPlaces[rnd.IntN(len(loginPlaces))]
	if rnd.IntN(3) == 0 {
		at.Page = fmt.Sprintf("a.example/%d", rnd.Uint32())
	}
	if rnd.IntN(4) == 0 {
		at.Domain = fmt.Sprintf("%d.example", rnd.Uint32())
	}
	return at, at.Page == loginPlaces[4].Page
}

// wantFull requires that answers by place say whether visits may have lost theirs, and no others do.
func (r *harness) wantFull(k *keptPlaces) {
	r.t.Helper()
	q := domain.Question{Account: 1, Shape: domain.ShapeDomains, Range: domain.AllTime, Visits: &domain.VisitQuery{}}
	if got := r.ask(&q).PlacesFull; got != k.full() {
		r.t.Errorf("places are full: %t, want %t: %v", got, k.full(), k.of)
	}
	r.publishedPlaces(k)
	for i, s := range r.node.Status().Shards {
		if full := len(k.of[i]) >= k.max; s.Full > 0 != full {
			r.t.Errorf("shard %d has %d accounts that have no room: %t", i, s.Full, full)
		}
	}
}

// publishedPlaces requires that the shards keep the places of the model, in its order.
func (r *harness) publishedPlaces(k *keptPlaces) {
	r.t.Helper()
	for _, s := range r.node.running {
		v := s.View.Acquire()
		var got []domain.VisitPlace
		if of := v.Account(1); of != nil {
			got = of.Places
		}
		v.Release()
		if !slices.Equal(got, k.of[s.ID]) {
			r.t.Errorf("shard %d keeps %v, want %v", s.ID, got, k.of[s.ID])
		}
	}
}

// sameInAllPages requires that the journals of all shards give the same whatever the pages and the commits.
func (r *harness) sameInAllPages(t *testing.T, rnd *rand.Rand) {
	t.Helper()
	r.replaysEqual(t)
	for id := range r.node.count {
		end := r.stateOf(id).Next
		some := func() int64 { return 1 + rnd.Int64N(9) }
		r.sameInAnyPages(t, id, whole, end)
		r.sameInAnyPages(t, id, some, end/3, end/2, end)
	}
}

// Where a shard has room for no other places, visits to new ones keep what follows from the records alone:
// answers are those of a naive model, count every visit, and say that some may have lost their place; so it
// is after power cuts, and in replays of any pages (I6).
func TestLogins_PlacesKeepToTheirBound(t *testing.T) {
	t.Parallel()
	const fans, shards = 20, 3
	f := &registered{
		rnd: seeded(t), members: make([]reference.Member, fans), records: make([][]loginRecord, fans),
		model: &reference.Model{Visits: visitsOf}, at: sep2020 * 1000, places: newKeptPlaces(shards, 12),
	}
	r := newHarness(t, shards, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}, places: f.places.max})
	r.furnish(1)
	for range 3 {
		for range 80 {
			member := f.rnd.IntN(fans)
			if f.members[member].ID == 0 || f.rnd.IntN(3) == 0 {
				f.register(r, member, loginServices[f.rnd.IntN(len(loginServices))], 1)
			} else {
				f.login(r, member)
			}
		}
		r.crash(f.rnd)
		r.settled()
		f.model.Members = slices.DeleteFunc(slices.Clone(f.members), func(x reference.Member) bool { return x.ID == 0 })
		for range 80 {
			r.compare(f.model, f.question())
		}
		r.wantFull(f.places)
	}
	if !f.places.full() {
		t.Fatal("there was room for all places: the test shows nothing")
	}
	r.sameInAllPages(t, f.rnd)
}

// lentVisit is a visit as it counts in the shard of a member.
type lentVisit struct {
	own       int // the member who made it
	at        domain.VisitPlace
	ofSegment bool
}

// visitors are members who log in and are merged and parted, in shards that have little room for places.
type visitors struct {
	*harness
	rnd    *rand.Rand
	ids    []domain.MemberID
	names  []domain.IdentityHash
	into   map[int]int
	visits [][]lentVisit // by member: those that its shard has, in the order in which it got them
	places *keptPlaces
	at     int64
}

// put gives a member's shard a visit, and those of the members that it is merged into.
func (x *visitors) put(member int, v lentVisit) {
	for {
		v.at = x.places.keep(x.ids[member].Slot(), v.at, v.ofSegment)
		x.visits[member] = append(x.visits[member], v)
		into, merged := x.into[member]
		if !merged {
			return
		}
		member = into
	}
}

func (x *visitors) login(member int) {
	x.t.Helper()
	x.at += 60_000
	at, ofSegment := x.places.invent(x.rnd)
	x.submit(domain.Submission{Account: 1, Slot: x.ids[member].Slot(), Command: &domain.LogIn{
		Member: x.ids[member], Application: 1, Identity: x.names[member], Service: domain.LastFM, Domain: at.Domain, At: x.at,
		Visit: domain.Visit{Key: x.rnd.Uint64(), Page: at.Page, OfSegment: ofSegment},
	}})
	x.put(member, lentVisit{member, at, ofSegment})
}

// below are a member and those merged into it, at any depth.
func (x *visitors) below(member int) (all []int) {
	all = []int{member}
	for from, into := range x.into {
		if into == member {
			all = append(all, x.below(from)...)
		}
	}
	return all
}

// merge merges two members, or takes the merge of one back.
func (x *visitors) merge() {
	x.t.Helper()
	a, b := x.rnd.IntN(len(x.ids)), x.rnd.IntN(len(x.ids))
	_, gone := x.into[a]
	into, merged := x.into[b]
	switch {
	case merged:
		if _, gone := x.into[into]; gone {
			return
		}
		x.submit(domain.Submission{Account: 1, Slot: x.ids[into].Slot(), Command: &domain.UnmergeMember{
			Member: x.ids[into], From: x.ids[b],
		}})
		delete(x.into, b)
		away := x.below(b)
		x.visits[into] = slices.DeleteFunc(x.visits[into], func(v lentVisit) bool { return slices.Contains(away, v.own) })
	case a != b && !gone:
		x.submit(domain.Submission{Account: 1, Slot: x.ids[a].Slot(), Command: &domain.MergeMembers{
			Member: x.ids[a], From: x.ids[b],
		}})
		x.into[b] = a
		for _, v := range slices.Clone(x.visits[b]) {
			x.put(a, v)
		}
	}
}

// check requires that visits are counted as the shards of those have them who stand for others.
func (x *visitors) check() {
	x.t.Helper()
	sites, pages := map[string]uint64{}, map[string]uint64{}
	all := uint64(0)
	for member, visits := range x.visits {
		if _, merged := x.into[member]; merged {
			continue
		}
		for _, v := range visits {
			sites[v.at.Domain]++
			pages[v.at.Page]++
			all++
		}
	}
	q := domain.Question{
		Account: 1, Shape: domain.ShapeDomains, Range: domain.AllTime, Visits: &domain.VisitQuery{Of: domain.Login},
	}
	a, got := x.ask(&q), map[string]uint64{}
	for _, d := range a.Domains.Rows {
		got[d.Domain] = d.Actions
	}
	if !maps.Equal(got, sites) || a.Domains.Total.Actions != all {
		x.t.Errorf("visits by domain %v of %d, want %v of %d", got, a.Domains.Total.Actions, sites, all)
	}
	delete(pages, "")
	for page, want := range pages {
		q.Shape, q.Visits = domain.ShapeTally, &domain.VisitQuery{Of: domain.Login, Page: page}
		if n := x.ask(&q).Tally.Total.Actions; n != want {
			x.t.Errorf("%d visits to %s, want %d", n, page, want)
		}
	}
	x.wantFull(x.places)
}

// A visit that is lent to the shard of another member keeps there what that shard has room for, over chains
// of merges too; at home it keeps what it had. Each visit counts once, wherever it lost its place.
func TestMerge_PlacesKeepToTheBoundOfEachShard(t *testing.T) {
	t.Parallel()
	const shards, fans = 3, 9
	x := &visitors{rnd: seeded(t), into: map[int]int{}, at: sep2020 * 1000, places: newKeptPlaces(shards, 9)}
	few := Memory{MemberBytes: 12_000, ResidentBytes: 30_000}
	x.harness = newHarness(t, shards, Options{Memory: few, places: x.places.max})
	x.furnish(1)
	for n := range fans {
		x.ids, x.names = append(x.ids, x.register(n)), append(x.names, identityOf(n))
	}
	x.visits = make([][]lentVisit, fans)
	for round := range 4 {
		for range 40 {
			if x.rnd.IntN(4) == 0 {
				x.merge()
			} else {
				x.login(x.rnd.IntN(fans))
			}
			x.settled() // what is lent on has arrived before the next
		}
		if x.check(); round%2 == 0 {
			x.restart()
		} else {
			x.crash(x.rnd)
		}
		x.settled()
		x.check()
	}
	if !x.places.full() {
		t.Fatal("there was room for all places: the test shows nothing")
	}
	x.sameInAllPages(t, x.rnd)
}
