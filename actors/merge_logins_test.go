package actors

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// mergedLogins is members of whom some are merged into others.
type mergedLogins struct {
	registered
	into  map[int]int // of those who are merged: the member that they are merged into
	since map[int]int // and the number of the merge
	done  int         // merges so far
}

func (f *mergedLogins) root(member int) int {
	for {
		into, merged := f.into[member]
		if !merged {
			return member
		}
		member = into
	}
}

// below is how many merges are below a member, one below the other.
func (f *mergedLogins) below(member int) (depth int) {
	for from, into := range f.into {
		if into == member {
			depth = max(depth, 1+f.below(from))
		}
	}
	return depth
}

// merge merges two members, or takes such a merge back.
func (f *mergedLogins) merge(r *harness) {
	r.t.Helper()
	a, b := f.rnd.IntN(len(f.members)), f.rnd.IntN(len(f.members))
	if f.members[a].ID == 0 || f.members[b].ID == 0 {
		return
	}
	if into, merged := f.into[a]; merged {
		if f.root(into) == into {
			r.submit(domain.Submission{Account: 1, Slot: f.members[into].ID.Slot(), Command: &domain.UnmergeMember{
				Member: f.members[into].ID, From: f.members[a].ID,
			}})
			delete(f.into, a)
		}
		return
	}
	if _, merged := f.into[b]; merged || f.root(a) == f.root(b) || f.below(b) == domain.DeepestMerge {
		return
	}
	r.submit(domain.Submission{Account: 1, Slot: f.members[a].ID.Slot(), Command: &domain.MergeMembers{
		Member: f.members[a].ID, From: f.members[b].ID,
	}})
	f.done++
	f.into[b], f.since[b] = a, f.done
}

// union is the members that answers know.
func (f *mergedLogins) union() *registered {
	g := &registered{rnd: f.rnd, model: &reference.Model{Visits: visitsOf}}
	place := map[int]int{}
	for i := range f.members {
		if f.root(i) == i && f.members[i].ID != 0 {
			place[i] = len(g.members)
			g.members = append(g.members, f.members[i])
		}
	}
	for i := range f.members {
		if f.root(i) == i || f.members[i].ID == 0 {
			continue
		}
		x, y := &g.members[place[f.root(i)]], &f.members[i]
		x.Services, x.Valid = slices.Concat(x.Services, y.Services), slices.Concat(x.Valid, y.Valid)
		x.Domains = slices.Concat(x.Domains, y.Domains)
		x.LastLogin, x.Paid = max(x.LastLogin, y.LastLogin), x.Paid || y.Paid
	}
	for i := range f.members { // the nearest first: of the one who stays, then of those it took in
		if f.root(i) == i && f.members[i].ID != 0 {
			f.fill(&g.members[place[i]], i)
		}
	}
	byID := map[domain.MemberID]domain.MemberID{}
	for i := range f.members {
		if f.members[i].ID != 0 {
			byID[f.members[i].ID] = f.members[f.root(i)].ID
		}
	}
	for _, a := range f.model.Actions {
		a.Member = byID[a.Member]
		g.model.Actions = append(g.model.Actions, a)
	}
	g.model.Members = g.members
	return g
}

// fill gives a member what it has no value of, from those merged into member i, in the order of their
// merges.
func (f *mergedLogins) fill(x *reference.Member, i int) {
	for _, j := range f.order(i) {
		y := f.members[j]
		f.fill(&y, j)
		x.Gender, x.Country, x.Born = cmp.Or(x.Gender, y.Gender), cmp.Or(x.Country, y.Country), cmp.Or(x.Born, y.Born)
	}
}

// order are those merged into a member, as its record has them.
func (f *mergedLogins) order(i int) (all []int) {
	for j, into := range f.into {
		if into == i {
			all = append(all, j)
		}
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(f.since[a], f.since[b]) })
	return all
}

// Visits of members who are merged are those of one member, with its service records, whatever it logs
// in by; when the merge is taken back each has its own.
func TestMerge_VisitsAreOfOneMember(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	const fans = 24
	f := &mergedLogins{into: map[int]int{}, since: map[int]int{}, registered: registered{
		rnd: rand.New(rand.NewPCG(seed, 11)), members: make([]reference.Member, fans), records: make([][]loginRecord, fans),
		model: &reference.Model{Visits: visitsOf}, at: sep2020 * 1000,
	}}
	r := newHarness(t, 3, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000}})
	r.furnish(2)
	for range 4 {
		for range loginOperations / 2 {
			member := f.rnd.IntN(fans)
			switch x := &f.members[member]; {
			case x.ID == 0 || f.rnd.IntN(4) == 0:
				f.register(r, member, loginServices[f.rnd.IntN(len(loginServices))], domain.ApplicationID(1+f.rnd.IntN(2)))
			case f.rnd.IntN(4) == 0:
				f.lapse(r, member)
			case f.rnd.IntN(4) == 0:
				f.merge(r)
			default:
				f.login(r, member)
			}
		}
		r.crash(f.rnd)
		r.settled()
		g := f.union()
		for range 100 {
			q := g.question()
			a := r.compare(g.model, q)
			if q.Shape == domain.ShapeSummaries {
				continue
			}
			if got := r.explainedVisits(q); uint64(got) != visitsIn(q, a) {
				t.Fatalf("%+v %+v: %d rows explain %d", q, q.Visits, got, visitsIn(q, a))
			}
		}
	}
}
