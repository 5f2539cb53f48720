package actors

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/brand"
	"github.com/ovation-analytics/ovation/actors/domain"
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
	r := newRig(t, 1, Options{ResidentBytes: 30_000})
	g := newGraveyard(r, fans, brands)
	for range 3000 {
		a, m := g.act(rnd, len(g.acts), brands)
		g.did(a, m)
	}
	g.publish(0)
	r.settled()
	r.close()
	r.open()
	v := r.node.shared[0].view.Acquire()
	defer v.Release()
	d, x := &desk{shard: r.node.shared[0], workers: r.node.workers, now: time.Now}, &workbench{scratch: brand.NewScratch()}
	catalog := r.node.Catalog()
	ask := func(q *domain.Question, n int) (*partial, int) {
		dense := brand.EveryBrand
		if q.Brand != 0 {
			dense = catalog.BrandByID(q.Brand).Dense
		}
		choice, err := choiceOf(catalog, q)
		if err != nil {
			t.Fatal(err)
		}
		ctx := &endsAt{context.Background(), n, 0}
		p := d.answer(x, v, &ask{
			ctx: ctx, question: q, plan: brand.NewPlan(q), dense: dense, lists: listsOf(catalog, 1, q.Lists), choice: choice,
			label: r.node.labels(1), brands: directory(catalog, q),
		})
		p.ended = nil
		return p, ctx.looks
	}
	for shape := domain.ShapeTally; shape <= domain.ShapeStandings; shape++ {
		q := &domain.Question{
			Account: 1, Shape: shape, Range: domain.Range{From: 1_600_000_000, To: 1_609_000_000}, Groups: []domain.Group{{Definition: 100}, {Definition: 101}},
			Top: domain.Top{Limit: 10, Latest: true}, Listing: domain.Listing{Every: true, Limit: 20, Keyword: "nothing"},
		}
		q.Filter.AnyOf = []domain.Deed{{Definition: 100}}
		if shape == domain.ShapeLists {
			q.Lists = []domain.List{{Segment: 1, Rule: &domain.Rule{Definitions: []domain.DefinitionID{100}, Threshold: 1, Range: q.Range}}}
		}
		want, looks := ask(q, 1<<30)
		if want.err != nil || looks < 4 {
			t.Fatalf("shape %d: %v after %d looks", shape, want.err, looks)
		}
		for range 12 {
			n := rnd.IntN(looks)
			if p, at := ask(q, n); p.err != domain.ErrUnavailable || at != n+1 {
				t.Fatalf("seed %d, shape %d: given up at look %d of %d: %v after %d", seed, shape, n, looks, p.err, at)
			}
		}
		again, _ := ask(q, 1<<30)
		if diff := cmp.Diff(want, again, cmp.AllowUnexported(partial{})); diff != "" {
			t.Fatalf("seed %d, shape %d: after it was given up: %s", seed, shape, diff)
		}
	}
}

// What is asked of the shards ends when the one who asks goes away, and after ten
// seconds at the latest.
func TestAQuestionEndsWithTheOneWhoAsks(t *testing.T) {
	r := newRig(t, 2, Options{})
	r.furnish(1)
	met := make(chan *ask, 1)
	mute := actor.PropsFromFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(*ask); ok {
			met <- m
		}
	})
	was := r.node.desks[1]
	r.node.desks[1] = r.node.system.Root.Spawn(mute)
	defer func() { r.node.desks[1] = was }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	failed := make(chan error, 1)
	go func() {
		_, err := r.node.Ask(ctx, &domain.Question{Account: 1, Shape: domain.ShapeTally, Range: domain.Range{To: 9}}, domain.Position{})
		failed <- err
	}()
	m := <-met
	if end, ok := m.ctx.Deadline(); !ok || time.Until(end) > questionLife || m.ctx.Err() != nil {
		t.Errorf("it lives until %v: %v", end, m.ctx.Err())
	}
	cancel()
	if err := <-failed; domain.CodeOf(err) != domain.Unavailable {
		t.Errorf("%v", err)
	}
	if m.ctx.Err() == nil {
		t.Error("it is still asked")
	}
}
