package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// crowd is who did what and who opted how, for the naive model of lists.
type crowd struct {
	ids      []domain.MemberID
	acts     []domain.Activity
	who      []int
	in, out  map[[2]int]bool // fan, segment
	segments int
}

// act is a random action, one-time ones among them.
func (c *crowd) act(rnd *rand.Rand) domain.Activity {
	m := rnd.IntN(len(c.ids))
	a := domain.Activity{
		Member: c.ids[m], Definition: domain.DefinitionID(100 + rnd.IntN(5)/4), Brand: domain.BrandID(1 + rnd.IntN(3)),
		Time: 1_600_000_000 + rnd.Int64N(9_000_000), Hash: rnd.Uint64(),
	}
	c.acts, c.who = append(c.acts, a), append(c.who, m)
	return a
}

// list is a random list of a segment; most have a rule.
func (c *crowd) list(rnd *rand.Rand) domain.List {
	l := domain.List{Segment: domain.SegmentID(1 + rnd.IntN(c.segments))}
	if rnd.IntN(4) == 0 {
		return l
	}
	l.Rule = &domain.Rule{
		Definitions: [][]domain.DefinitionID{nil, {100}, {101}, {100, 101}}[rnd.IntN(4)], Brand: domain.BrandID(rnd.IntN(4)),
		Threshold: uint32(1 + rnd.IntN(5)*rnd.IntN(12)), Range: domain.Range{To: 1<<32 - 1},
	}
	if rnd.IntN(2) == 0 {
		l.Rule.Range.From = 1_600_000_000 + rnd.Uint32N(9_000_000)
		l.Rule.Range.To = l.Rule.Range.From + rnd.Uint32N(9_000_000)
	}
	return l
}

// members are the members of a list the slow way: of one-time actions the earliest
// counts.
func (c *crowd) members(l domain.List) (on []domain.MemberID) {
	done := make([]uint32, len(c.ids))
	if r := l.Rule; r != nil {
		first := map[[2]int]domain.Activity{}
		counts := func(a *domain.Activity) bool {
			return slices.Contains(r.Definitions, a.Definition) && (r.Brand == 0 || a.Brand == r.Brand) &&
				a.Time >= int64(r.Range.From) && a.Time < int64(r.Range.To)
		}
		for i, a := range c.acts {
			pair := [2]int{c.who[i], int(a.Brand)}
			if a.Definition == 101 {
				if f, ok := first[pair]; !ok || a.Time < f.Time {
					first[pair] = a
				}
			} else if counts(&a) {
				done[c.who[i]]++
			}
		}
		for pair, a := range first {
			if counts(&a) {
				done[pair[0]]++
			}
		}
	}
	for m := range c.ids {
		k := [2]int{m, int(l.Segment)}
		if !c.out[k] && (c.in[k] || l.Rule != nil && done[m] >= l.Rule.Threshold) {
			on = append(on, c.ids[m])
		}
	}
	return on
}

// opt opts a random fan in or out of a random segment, or registers it for one.
func (c *crowd) opt(r *harness, rnd *rand.Rand) {
	m, g := rnd.IntN(len(c.ids)), 1+rnd.IntN(c.segments)
	k, opt := [2]int{m, g}, domain.Opt{Kind: domain.OptSegment, ID: uint32(g)}
	c.in[k], c.out[k] = true, false
	s := domain.Submission{Account: 1, Slot: c.ids[m].Slot(), Command: &domain.OptIn{Member: c.ids[m], Opt: opt}}
	switch rnd.IntN(4) {
	case 0:
		c.in[k], c.out[k] = false, true
		s.Command = &domain.OptOut{Member: c.ids[m], Opt: opt}
	case 1:
		id := identityOf(m)
		s.Slot = id.Slot()
		s.Command = &domain.RegisterMember{Application: 1, Identity: id, Service: domain.LastFM, UID: fmt.Sprint(m), Segment: domain.SegmentID(g)}
	}
	r.submit(s)
}

// Members of segments' lists are those a naive model finds, with columns that are
// evicted all the time and a restart in between.
func TestListsHaveTheMembersThatANaiveModelFinds(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	r := newHarness(t, 2, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}})
	r.furnish(3)
	c := &crowd{ids: make([]domain.MemberID, 40), in: map[[2]int]bool{}, out: map[[2]int]bool{}, segments: 3}
	for i := range c.ids {
		c.ids[i] = r.register(i)
	}
	for range c.segments {
		r.submit(domain.Submission{Account: 1, Command: &domain.PutSegment{Segment: domain.Segment{Name: "s"}, Given: []string{"Name"}}})
	}
	for round := range 3 {
		for range 2500 {
			r.publish(c.act(rnd))
		}
		for range 30 {
			c.opt(r, rnd)
		}
		if round == 1 {
			r.close()
			r.open()
		}
		r.settled()
		for range 20 {
			q := &domain.Question{Account: 1, Shape: domain.ShapeLists}
			var want []uint64
			any := map[domain.MemberID]bool{}
			if rnd.IntN(2) == 0 {
				q.Filter = domain.Filter{Exclude: c.ids[:1+rnd.IntN(9)], Members: c.ids[rnd.IntN(9):]}
			}
			for range 1 + rnd.IntN(4) {
				l := c.list(rnd)
				q.Lists, want = append(q.Lists, l), append(want, 0)
				for _, id := range c.members(l) {
					if q.Filter.Members == nil || slices.Contains(q.Filter.Members, id) && !slices.Contains(q.Filter.Exclude, id) {
						want[len(want)-1]++
						any[id] = true
					}
				}
			}
			a, err := r.node.Ask(context.Background(), q, domain.Position{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, a.Lists); d != "" || a.Union != uint64(len(any)) {
				t.Fatalf("seed %d, round %d, %+v: %s; %d on any list, want %d", seed, round, q, d, a.Union, len(any))
			}
		}
	}
	q := &domain.Question{Account: 7, Shape: domain.ShapeLists, Lists: []domain.List{{Segment: 1}}}
	if a, err := r.node.Ask(context.Background(), q, domain.Position{}); err != nil || !slices.Equal(a.Lists, []uint64{0}) {
		t.Fatalf("another account: %+v %v", a, err)
	}
}
