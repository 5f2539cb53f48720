package actors

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// What the node is told that columns may take is heeded while it runs, and answers stay
// what they were.
func TestColumnsGiveWayAndComeBackAsTheNodeIsTold(t *testing.T) {
	t.Parallel()
	const fans, brands = 30, 3
	rnd := rand.New(rand.NewPCG(1, 15))
	r := newRig(t, 1, Options{})
	g := newGraveyard(r, fans, brands)
	for range 8_000 {
		a, m := g.act(rnd, len(g.acts), brands)
		g.did(a, m)
	}
	g.publish(0)
	r.settled()
	answers := func() (all []*domain.Tally) {
		for b := domain.BrandID(1); b <= brands; b++ {
			a, err := r.node.Ask(t.Context(), &domain.Question{
				Account: 1, Brand: b, Shape: domain.ShapeTally, Range: domain.Range{From: 1_600_000_000, To: 1_609_000_000}, Groups: []domain.Group{{Definition: 100}, {Definition: 101}},
			}, domain.Position{})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, a.Tally)
		}
		return all
	}
	people := fans
	commits := func() { // as many as may pass before it is heeded; a person adds no row
		for range lookEveryCommits {
			r.register(people)
			people++
		}
	}
	cold := func() (n int64) { return r.node.Status().Shards[0].Evicted }

	want := answers()
	commits()
	held := r.node.Resident()
	if cold() != 0 {
		t.Fatalf("%d brands are cold", cold())
	}
	most := held * 9 / 10
	r.node.KeepResident(most)
	commits()
	low := r.node.Resident()
	if cold() == 0 || low > most || low != r.node.Status().Shards[0].Columns {
		t.Fatalf("%d brands are cold, columns take %d bytes of %d", cold(), low, most)
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
