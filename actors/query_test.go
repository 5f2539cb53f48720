package actors

import (
	"math/rand/v2"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// asked is as much of an actor's context as a question needs: it may end itself.
type asked struct {
	actor.Context
	message any
	stopped bool
}

func (c *asked) Message() any     { return c.message }
func (c *asked) Self() *actor.PID { return nil }
func (c *asked) Stop(*actor.PID)  { c.stopped = true }

// Desks answer in any order, and a client waits for the position it was given: a
// token holds shards ascending.
func TestThePositionOfAnAnswerNamesShardsAscending(t *testing.T) {
	const seed, shards = 3, 16
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		reply := make(chan *merged, 1)
		a := &queryActor{ask: &ask{question: &domain.Question{Shape: domain.ShapeTally}}, reply: reply, left: shards}
		ctx := &asked{}
		for _, shard := range r.Perm(shards) {
			ctx.message = &partial{shard: shard, next: int64(100 + shard)}
			a.Receive(ctx)
		}
		if !ctx.stopped {
			t.Fatal("the question goes on after its last answer")
		}
		got := (<-reply).answer.Position.Shards
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
