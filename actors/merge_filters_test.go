package actors

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// mergedAttendees is members that say what they are, of whom some are merged into others.
type mergedAttendees struct {
	*harness
	rnd    *rand.Rand
	brands int
	fans   []*attendee
	into   map[int]int   // of those who are merged: the one that they are merged into
	taken  map[int][]int // of each the others that are merged into it, in that order
	acts   []domain.Activity
}

func newMergedAttendees(t *testing.T, fans int) *mergedAttendees {
	const brands = 4
	x := &mergedAttendees{
		harness: furnished(t, 3, brands, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}}),
		rnd:     seeded(t), brands: brands, into: map[int]int{}, taken: map[int][]int{},
	}
	for i := range fans {
		a := &attendee{Member: reference.Member{Services: []domain.Service{domain.LastFM}, Opts: map[domain.Opt]domain.OptState{}}}
		a.say(x.harness, x.rnd, i)
		if i%3 == 0 {
			a.attach(x.harness, i)
		}
		x.fans = append(x.fans, a)
	}
	return x
}

func (x *mergedAttendees) root(i int) int {
	for {
		into, merged := x.into[i]
		if !merged {
			return i
		}
		i = into
	}
}

// below is how many merges are below a member, one below the other.
func (x *mergedAttendees) below(i int) (depth int) {
	for _, from := range x.taken[i] {
		depth = max(depth, 1+x.below(from))
	}
	return depth
}

// change merges two members or takes a merge back, or has a member say what it is, or opt.
func (x *mergedAttendees) change() {
	x.t.Helper()
	i, k := x.rnd.IntN(len(x.fans)), x.rnd.IntN(len(x.fans))
	into, merged := x.into[i]
	switch {
	case x.rnd.IntN(3) == 0:
		x.fans[i].say(x.harness, x.rnd, i)
	case x.rnd.IntN(3) == 0:
		x.opt(x.root(i), optable[x.rnd.IntN(len(optable))])
	case merged && x.root(into) == into && x.rnd.IntN(3) == 0:
		x.command(into, &domain.UnmergeMember{Member: x.fans[into].ID, From: x.fans[i].ID})
		delete(x.into, i)
		x.taken[into] = slices.DeleteFunc(x.taken[into], func(o int) bool { return o == i })
	case !merged && x.root(k) != i && x.root(k) == k && x.below(i) < domain.DeepestMerge:
		x.command(k, &domain.MergeMembers{Member: x.fans[k].ID, From: x.fans[i].ID})
		x.into[i], x.taken[k] = k, append(x.taken[k], i)
	}
}

func (x *mergedAttendees) command(i int, c domain.Command) {
	x.t.Helper()
	x.submit(domain.Submission{Account: 1, Slot: x.fans[i].ID.Slot(), Command: c})
}

// opt opts a member in; or out, with those merged into it.
func (x *mergedAttendees) opt(i int, o domain.Opt) {
	x.t.Helper()
	a := x.fans[i]
	if x.rnd.IntN(2) == 0 {
		x.command(i, &domain.OptIn{Member: a.ID, Opt: o})
		a.Opts[o] = domain.OptState{In: true}
		return
	}
	x.command(i, &domain.OptOut{Member: a.ID, Opt: o})
	x.optedOut(i, o)
}

func (x *mergedAttendees) optedOut(i int, o domain.Opt) {
	x.fans[i].Opts[o] = domain.OptState{Out: true}
	for _, k := range x.taken[i] {
		if x.union(k).Opts[o].In {
			x.optedOut(k, o)
		}
	}
}

// act publishes activities of members, also of those who are merged.
func (x *mergedAttendees) act(n int) {
	var fresh []domain.Activity
	for range n {
		fresh = append(fresh, domain.Activity{
			Member: x.fans[x.rnd.IntN(len(x.fans))].ID, Definition: domain.DefinitionID(100 + x.rnd.IntN(8)/7),
			Brand: domain.BrandID(1 + x.rnd.IntN(x.brands)*x.rnd.IntN(2)), Time: 1_600_000_000 + x.rnd.Int64N(9_000_000),
			Hash: x.rnd.Uint64(), Service: domain.LastFM,
		})
	}
	x.publish(fresh...)
	x.acts = append(x.acts, fresh...)
}

// union is a member with those that are merged into it.
func (x *mergedAttendees) union(i int) *attendee {
	u := *x.fans[i]
	u.Opts = map[domain.Opt]domain.OptState{}
	maps.Copy(u.Opts, x.fans[i].Opts)
	for _, k := range x.taken[i] {
		o := x.union(k)
		empty := func(v domain.FieldValue) bool { return v.Value == "" }
		u.given = o.given.With(slices.DeleteFunc(slices.Clone(u.given), empty))
		u.Gender, u.Born, u.Paid = cmp.Or(u.Gender, o.Gender), cmp.Or(u.Born, o.Born), u.Paid || o.Paid
		u.Services, u.Domains = slices.Concat(u.Services, o.Services), slices.Concat(u.Domains, o.Domains)
		u.Fields = slices.Concat(u.Fields, o.Fields)
		for opt, s := range o.Opts {
			in := u.Opts[opt].In || s.In
			u.Opts[opt] = domain.OptState{In: in, Out: !in}
		}
	}
	u.Country = domain.CountryCode(u.given.Get(domain.Country))
	u.Region = strings.ToLower(cmp.Or(u.given.Get(domain.GeoRegion), u.given.Get(domain.Region)))
	return &u
}

// model is the members that answers know, with what they did.
func (x *mergedAttendees) model() *reference.Model {
	x.t.Helper()
	var members []reference.Member
	of := map[domain.MemberID]domain.MemberID{}
	for i, a := range x.fans {
		root := x.root(i)
		if of[a.ID] = x.fans[root].ID; root != i {
			continue
		}
		m, _, err := x.node.Member(context.Background(), 1, a.ID, domain.Position{})
		x.must(err)
		u, one := member.Union(m), x.union(i).Member
		one.Created, one.LastLogin = domain.Second(u.Created/1000), domain.Second(u.LastLogin()/1000)
		one.Changed = domain.Second(u.Changed() / 1000)
		members = append(members, one)
	}
	acts := slices.Clone(x.acts)
	for i := range acts {
		acts[i].Member = of[acts[i].Member]
	}
	return modelOf(members, acts)
}

// standing is the question as the model has it: about those that the named members stand for.
func (x *mergedAttendees) standing(q *domain.Question) *domain.Question {
	stands := func(ids []domain.MemberID) (out []domain.MemberID) {
		for _, id := range ids {
			if i := slices.IndexFunc(x.fans, func(a *attendee) bool { return a.ID == id }); i >= 0 {
				id = x.fans[x.root(i)].ID
			}
			out = append(out, id)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	out := *q
	out.Filter.Members, out.Filter.Exclude = stands(q.Filter.Members), stands(q.Filter.Exclude)
	return &out
}

// shapes of random questions: each counts, lists or ranks.
var shapes = []domain.Shape{
	domain.ShapeTally, domain.ShapeTimeline, domain.ShapeLocation, domain.ShapeGender, domain.ShapeDaily, domain.ShapeNewcomers,
	domain.ShapeLeaders, domain.ShapeFeed, domain.ShapeCrossover, domain.ShapeLists, domain.ShapeMemberList,
	domain.ShapeStandings, domain.ShapeSummaries,
}

// ask asks a random question with random filters in each shape, and reports whether a member passed.
func (x *mergedAttendees) ask(m *reference.Model) bool {
	x.t.Helper()
	q := domain.Question{
		Account: 1, Brand: domain.BrandID(x.rnd.IntN(x.brands + 1)), Range: domain.AllTime,
		Filter: randomFilter(x.rnd, x.fans), Groups: []domain.Group{{Definition: 100, Group: 100}, {Definition: 101, Group: 101}},
		Top: domain.Top{Order: domain.Order(x.rnd.IntN(3)), Limit: 1 + x.rnd.IntN(9), Latest: true, Audience: true},
		Lists: []domain.List{{Segment: 1}, {Segment: 1, Rule: &domain.Rule{
			Definitions: []domain.DefinitionID{100, 101}, Threshold: uint32(1 + x.rnd.IntN(200)), Range: domain.Range{To: 1<<32 - 1},
		}}},
	}
	randomTraits(x.rnd, &q.Filter, x.brands)
	if x.rnd.IntN(2) == 0 {
		q.Range.From = 1_600_000_000 + x.rnd.Uint32N(9_000_000)
		q.Range.To = q.Range.From + 1 + x.rnd.Uint32N(9_000_000)
	}
	q.Listing = domain.Listing{Every: x.rnd.IntN(2) == 0, Limit: 1 + x.rnd.IntN(30)}
	q.MemberListing = domain.MemberListing{Limit: 20, Changed: m.Members[x.rnd.IntN(len(m.Members))].Changed}
	about := x.standing(&q)
	passed := len(m.Passing(about)) > 0
	for _, shape := range shapes {
		q.Shape, about.Shape = shape, shape
		if shape == domain.ShapeStandings { // of a member, whatever it did
			for _, f := range []*domain.Filter{&q.Filter, &about.Filter} {
				f.AnyOf, f.AllOf, f.From, f.Acted = nil, nil, nil, false
			}
		}
		got, want := x.harness.ask(&q), m.Answer(about)
		want.Position, want.LagMs, want.Merged = got.Position, got.LagMs, got.Merged
		x.same(&q, want, got)
	}
	return passed
}

// Members who are merged pass filters as the one member that they are, whatever they are named by: with
// what any of them has, with the actions of all, in every shape (I12).
func TestMerge_FiltersPassTheUnion(t *testing.T) {
	large(t)
	t.Parallel()
	x := newMergedAttendees(t, 40)
	found := 0
	for round := range 4 {
		x.act(600)
		for range 60 {
			x.change()
		}
		x.settled()
		if round == 2 {
			x.restart()
		}
		x.settled()
		m := x.model()
		x.identify(m)
		for range 30 {
			if x.ask(m) {
				found++
			}
		}
	}
	if found < 40 {
		t.Errorf("%d of 120 questions let anybody through", found)
	}
	t.Log(found, "of 120 questions let somebody through;", len(x.into), "are merged")
	x.replaysEqual(t)
}
