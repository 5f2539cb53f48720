package query

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Shards answer in any order, and a client waits for the position it was given: a token holds
// shards ascending.
func TestGather_PositionNamesShardsAscending(t *testing.T) {
	const seed, shards = 3, 16
	r := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		g := newGather(shards)
		for _, shard := range r.Perm(shards) {
			g.take(&Part{Shard: shard, Next: int64(100 + shard)})
		}
		if err := <-g.reply; err != nil {
			t.Fatal(err)
		}
		a, err := g.merge(&domain.Question{Shape: domain.ShapeTally})
		if err != nil {
			t.Fatal(err)
		}
		got := a.Position.Shards
		if len(got) != shards {
			t.Fatalf("%d shards in the position", len(got))
		}
		for i, s := range got {
			if s != (domain.ShardOffset{Shard: i, Next: int64(100 + i)}) {
				t.Fatalf("entry %d is %+v", i, s)
			}
		}
	}
}

// A question whose merging panics fails with an internal error.
func TestGather_PanicIsAnInternalError(t *testing.T) {
	g := newGather(1)
	g.take(&Part{})
	if err := <-g.reply; err != nil {
		t.Fatal(err)
	}
	_, err := g.merge(nil) // no question: merging panics
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.Internal {
		t.Errorf("the answer is %v", err)
	}
}

// The first error ends a question; what comes after it is dropped.
func TestGather_FirstErrorEndsIt(t *testing.T) {
	g := newGather(3)
	g.take(&Part{})
	g.take(&Part{Err: domain.ErrUnavailable})
	g.take(&Part{Err: errors.New("late")})
	if err := <-g.reply; !errors.Is(err, domain.ErrUnavailable) || len(g.reply) != 0 || len(g.parts) != 2 {
		t.Errorf("%v, %d parts", err, len(g.parts))
	}
}
