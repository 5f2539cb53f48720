package actors

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query/reference"
)

// population is who did what and who opted how.
type population struct {
	members  []reference.Member
	acts     []domain.Activity
	segments int
}

// act is a random action, one-time ones among them.
func (c *population) act(rnd *rand.Rand) domain.Activity {
	a := domain.Activity{
		Member: c.members[rnd.IntN(len(c.members))].ID, Definition: domain.DefinitionID(100 + rnd.IntN(5)/4), Brand: domain.BrandID(1 + rnd.IntN(3)),
		Time: 1_600_000_000 + rnd.Int64N(9_000_000), Hash: rnd.Uint64(),
	}
	c.acts = append(c.acts, a)
	return a
}

// list is a random list of a segment; most have a rule.
func (c *population) list(rnd *rand.Rand) domain.List {
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

// opt opts a random fan in or out of a random segment, or registers it for one.
func (c *population) opt(r *harness, rnd *rand.Rand) {
	n, g := rnd.IntN(len(c.members)), 1+rnd.IntN(c.segments)
	m, opt := &c.members[n], domain.Opt{Kind: domain.OptSegment, ID: uint32(g)}
	state := domain.OptState{In: true}
	s := domain.Submission{Account: 1, Slot: m.ID.Slot(), Command: &domain.OptIn{Member: m.ID, Opt: opt}}
	switch rnd.IntN(4) {
	case 0:
		state = domain.OptState{Out: true}
		s.Command = &domain.OptOut{Member: m.ID, Opt: opt}
	case 1:
		id := identityOf(n)
		s.Slot = id.Slot()
		s.Command = &domain.RegisterMember{Application: 1, Identity: id, Service: domain.LastFM, Segment: domain.SegmentID(g)}
	}
	m.Opts[opt] = state
	r.submit(s)
}

// Members of segments' lists are those a naive model finds, with columns that are
// evicted all the time and a restart in between.
func TestLists_MatchTheReferenceModel(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	r := newHarness(t, 2, Options{Memory: Memory{MemberBytes: 12_000, ResidentBytes: 30_000, CachedIdentities: 4}})
	r.furnish(3)
	c := &population{segments: 3}
	for i := range 40 {
		c.members = append(c.members, reference.Member{ID: r.register(i), Opts: map[domain.Opt]domain.OptState{}})
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
		model := modelOf(c.members, c.acts)
		for range 20 {
			q := &domain.Question{Account: 1, Shape: domain.ShapeLists}
			if rnd.IntN(2) == 0 {
				for i, x := range c.members {
					if i <= rnd.IntN(9) {
						q.Filter.Exclude = append(q.Filter.Exclude, x.ID)
					}
					if i >= rnd.IntN(9) {
						q.Filter.Members = append(q.Filter.Members, x.ID)
					}
				}
				slices.Sort(q.Filter.Members)
			}
			for range 1 + rnd.IntN(4) {
				q.Lists = append(q.Lists, c.list(rnd))
			}
			r.compare(model, q)
		}
	}
	q := &domain.Question{Account: 7, Shape: domain.ShapeLists, Lists: []domain.List{{Segment: 1}}}
	if a, err := r.node.Ask(context.Background(), q, domain.Position{}); err != nil || !slices.Equal(a.Lists, []uint64{0}) {
		t.Fatalf("another account: %+v %v", a, err)
	}
}
