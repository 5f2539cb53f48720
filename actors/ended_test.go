package actors

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query"
)

// endsAt is a context that ends at the n-th look at it, from 0 on.
type endsAt struct {
	context.Context
	n, looks int
}

func (c *endsAt) Err() error {
	if c.looks++; c.looks > c.n {
		return context.Canceled
	}
	return nil
}

// A worker gives a question up at whichever look nobody waits any more, those into
// brands on disk too, and answers the next one as if it had not been.
func TestAWorkerGivesUpWhatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 14))
	const fans, brands = 30, 4
	r := newRig(t, 1, Options{Memory: Memory{ResidentBytes: 30_000}, Questions: Questions{Workers: 1}})
	g := newGraveyard(r, fans, brands)
	for range 3000 {
		g.did(g.act(rnd, len(g.acts), brands))
	}
	g.publish(0)
	r.settled()
	r.close()
	r.open()
	door := r.node.queried()[0]
	ask := func(q *domain.Question, n int) (*query.Part, int) {
		ctx := &endsAt{context.Background(), n, 0}
		parts := make(chan *query.Part, 1)
		door.Answer(ctx, &query.Ask{Question: q}, func(p *query.Part) { parts <- p })
		return <-parts, ctx.looks
	}
	for shape := domain.ShapeTally; shape <= domain.ShapeStandings; shape++ {
		q := &domain.Question{
			Account: 1, Shape: shape, Range: domain.Range{From: 1_600_000_000, To: 1_609_000_000}, Groups: []domain.Group{{Definition: 100}, {Definition: 101}},
			Top: domain.Top{Limit: 10, Latest: true}, Listing: domain.Listing{Every: true, Limit: 20, Keyword: "nothing"},
		}
		q.Filter.AnyOf = []domain.Performed{{Definition: 100}}
		if shape == domain.ShapeLists {
			q.Lists = []domain.List{{Segment: 1, Rule: &domain.Rule{Definitions: []domain.DefinitionID{100}, Threshold: 1, Range: q.Range}}}
		}
		want, looks := ask(q, 1<<30)
		if want.Err != nil || looks < 4 {
			t.Fatalf("shape %d: %v after %d looks", shape, want.Err, looks)
		}
		for range 12 {
			n := rnd.IntN(looks)
			if p, at := ask(q, n); p.Err != domain.ErrUnavailable || at != n+1 {
				t.Fatalf("seed %d, shape %d: given up at look %d of %d: %v after %d", seed, shape, n, looks, p.Err, at)
			}
		}
		again, _ := ask(q, 1<<30)
		if diff := cmp.Diff(want, again); diff != "" {
			t.Fatalf("seed %d, shape %d: after it was given up: %s", seed, shape, diff)
		}
	}
}
