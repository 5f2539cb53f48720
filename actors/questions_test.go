package actors

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/view"
)

// A question is open until it is answered: so long shards yield.
func TestNode_QuestionIsOpenUntilItIsAnswered(t *testing.T) {
	t.Parallel()
	r := newHarness(t, 2, Options{Questions: Questions{Workers: 1}})
	read := r.wrapBusy()
	r.furnish(1)
	id := r.register(1)
	r.settled()
	q := &domain.Question{Account: 1, Shape: domain.ShapeTally, Brand: 1, Range: domain.AllTime, Groups: []domain.Group{{Definition: 100}}}
	item := domain.FeedItem{Member: id, Row: domain.Row{Brand: 1}}
	for name, ask := range map[string]func() error{
		"a question": func() error { _, err := r.node.Ask(context.Background(), q, domain.Position{}); return err },
		"what rows say": func() error {
			_, err := r.node.Show(context.Background(), 1, []domain.FeedItem{item}, domain.Position{})
			return err
		},
	} {
		if r.node.questions.Open() > 0 {
			t.Fatalf("before %s a question is open", name)
		}
		free, answered := r.occupy(read), make(chan error)
		go func() { answered <- ask() }()
		r.eventually(name+" is known", func() bool { return r.node.questions.Open() > 0 })
		close(free)
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		if r.node.questions.Open() > 0 {
			t.Errorf("after %s a question is open", name)
		}
	}
}

// busyAccount has contents of which a read ends when the test lets it.
const busyAccount = 99

type busyStore struct {
	shard.Store
	read chan chan struct{}
}

func (s busyStore) Snapshot() view.Snapshot { return busySnapshot{s.Store.Snapshot(), s.read} }

type busySnapshot struct {
	view.Snapshot
	read chan chan struct{}
}

func (s busySnapshot) Contents(rows []domain.Row) ([]*domain.Content, error) {
	if rows[0].Account != busyAccount {
		return s.Snapshot.Contents(rows)
	}
	free := make(chan struct{})
	s.read <- free
	<-free
	return make([]*domain.Content, len(rows)), nil
}

// wrapBusy opens the node again on stores that occupy can read.
func (r *harness) wrapBusy() chan chan struct{} {
	read := make(chan chan struct{})
	r.close()
	r.wrap = func(_ int, s shard.Store) shard.Store { return busyStore{s, read} }
	r.open()
	return read
}

// occupy has a worker read until the channel that it returns is closed.
func (r *harness) occupy(read chan chan struct{}) chan struct{} {
	m := &query.Show{Account: busyAccount, Items: []domain.FeedItem{{Row: domain.Row{Seq: 1}}}}
	r.node.queried()[0].Show(context.Background(), m, func(*query.Shown) {})
	return <-read
}

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

// A worker gives a cancelled question up at its next look at the context, also within brands
// on disk, and answers the next question as before.
func TestWorker_GivesUpACancelledQuestion(t *testing.T) {
	t.Parallel()
	rnd := seeded(t)
	const fans, brands = 30, 4
	r := newHarness(t, 1, Options{Memory: Memory{ResidentBytes: 30_000}, Questions: Questions{Workers: 1}})
	g := newGraveyard(r, fans, brands)
	g.live(rnd, 3000, brands, 0)
	r.restart()
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
				t.Fatalf("shape %d: given up at look %d of %d: %v after %d", shape, n, looks, p.Err, at)
			}
		}
		again, _ := ask(q, 1<<30)
		if diff := cmp.Diff(want, again); diff != "" {
			t.Fatalf("shape %d: after it was given up: %s", shape, diff)
		}
	}
}
