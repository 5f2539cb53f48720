package actors

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/router"
)

// At the ends of the logs everything is applied that was accepted before they were asked
// for: what was just published to the public topic, what was just registered, and what
// was just appended to the catalog.
func TestI4_BarrierCoversAllThatWasAccepted(t *testing.T) {
	const rounds, each = 8, 400
	r := furnished(t, 3, 2, Options{})
	rnd := seeded(t)
	id := r.register(1)
	for round := range uint64(rounds) {
		acts := make([]domain.Activity, each)
		for i := range acts {
			acts[i] = domain.Activity{Definition: 100, Brand: 1, Time: 1_600_000_000 + rnd.Int64N(1e6), Hash: rnd.Uint64(), Member: id}
			if i%3 > 0 { // to whatever shard the name is of
				acts[i].Member, acts[i].Identity = 0, identityOf(1)
			}
		}
		r.publish(acts...)
		at, err := r.node.AcceptedPosition(context.Background())
		r.must(err)
		a, err := r.node.Ask(context.Background(), &domain.Question{
			Account: 1, Shape: domain.ShapeTally, Range: domain.AllTime, Groups: []domain.Group{{Definition: 100}},
		}, at)
		if err != nil || a.Tally.Total.Actions != (round+1)*each {
			t.Fatalf("round %d: %+v actions, %v", round, a, err)
		}
		for i, s := range at.Shards {
			end := r.end(i)
			if s.Shard != i || s.Next > end || a.Position.Next(i) < s.Next {
				t.Fatalf("the end is at %+v, the log's at %d, the answer at %+v", at, end, a.Position)
			}
		}
	}
}

// lateSource is a public topic that does not tell its partitions when it is first asked.
type lateSource struct {
	*memSource
	asked atomic.Bool
}

func (s *lateSource) Partitions(ctx context.Context) (int, error) {
	if !s.asked.Swap(true) {
		return 0, errors.New("not now")
	}
	return s.memSource.Partitions(ctx)
}

// A node that has just started has no router yet: what is in the public topic is not
// routed all the same.
func TestI4_BarrierWaitsForThePartitions(t *testing.T) {
	source := &lateSource{memSource: newMemSource()}
	r := newHarness(t, 2, Options{Logs: Logs{Source: source}})
	r.source = source.memSource
	r.furnish(1)
	id := r.register(1)
	r.close()
	source.asked.Store(false)
	r.publish(domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: 1})
	r.open()
	at, err := r.node.AcceptedPosition(context.Background())
	if err == nil {
		err = r.node.Await(context.Background(), at)
	}
	r.must(err)
	r.wantActions(1)
}

func TestRouterHandle_ReachesFailsWhereNothingIsRouted(t *testing.T) {
	s := &router.Handle{}
	s.Next.Store(5)
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Reaches(ctx, 5); err != nil {
		t.Errorf("what is routed: %v", err)
	}
	why := "a gap"
	s.Stopped.Store(&why)
	if err := s.Reaches(ctx, 6); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("a stopped partition: %v", err)
	}
	s.Stopped.Store(nil)
	cancel()
	if err := s.Reaches(ctx, 6); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("the context has ended: %v", err)
	}
}

// moved is a public topic that was made again since the node found it.
type moved struct{ *memSource }

func (s moved) gap() error {
	return &domain.GapError{Kind: domain.GapRecreated, Topic: "activities", TopicID: s.id, Detail: "was another"}
}

func (s moved) Partitions(context.Context) (int, error) { return len(s.parts), s.gap() }

func (s moved) Committed(context.Context, int) (int64, int32, bool, error) {
	return 0, 0, false, s.gap()
}

// A topic that is made again before the node has found its partitions stops each of them:
// an operator sees it, and can accept the gap.
func TestRouter_StopsOnATopicRecreatedAtTheStart(t *testing.T) {
	r := newHarness(t, 1, Options{Logs: Logs{Source: moved{newMemSource()}}})
	r.eventually("stop of both partitions", func() bool {
		all := r.node.Status().Routers
		return len(all) == 2 && strings.Contains(all[0].Stopped, "another") && strings.Contains(all[1].Stopped, "another")
	})
}
