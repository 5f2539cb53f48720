package shard

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
	"github.com/ovation-analytics/ovation/actors/member"
)

// onAShard runs f as the message of an actor, as a shard has its children.
func onAShard(t *testing.T, f func(actor.Context)) {
	t.Helper()
	system := actor.NewActorSystem()
	t.Cleanup(system.Shutdown)
	pid := system.Root.Spawn(mailbox.Props(func() actor.Actor {
		return actor.ReceiveFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(string); ok {
				f(ctx)
			}
		})
	}))
	system.Root.Send(pid, "go")
}

func seat(ord int) member.Place { return member.Place{Account: 1, Ord: domain.Ordinal(ord)} }

// seated is how many children have a place.
func seated(c *children) (n int) {
	for _, seats := range c.seats {
		for _, k := range seats {
			if k != nil {
				n++
			}
		}
	}
	return n
}

func stateOf(ord int) *member.State {
	return member.NewState(&domain.Member{Ord: domain.Ordinal(ord), Account: 1, State: domain.MemberActive})
}

// oneChild is the bytes of a child as stateOf makes it.
func oneChild() int { return childBytes + stateOf(0).Bytes() }

func TestChildrenTouchedSinceTheHandPassedStayAwake(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	onAShard(t, func(ctx actor.Context) {
		const limit, members = 20, 60
		c, awake := newChildren(limit*oneChild()), map[int]bool{}
		for round := range 300 {
			touched := map[int]bool{}
			for range rnd.IntN(limit) { // fewer than the limit: all of them can stay
				ord := rnd.IntN(members)
				touched[ord] = true
				k := c.find(seat(ord))
				if (k != nil) != awake[ord] {
					t.Fatalf("round %d: member %d awake: %v, want %v", round, ord, k != nil, awake[ord])
				}
				if k == nil {
					k = c.spawn(ctx, seat(ord), stateOf(ord))
					awake[ord] = true
				}
				if k.state().Member.Ord != domain.Ordinal(ord) || c.find(seat(ord)) != k {
					t.Fatalf("round %d: member %d is not found as itself", round, ord)
				}
			}
			before := len(awake)
			slept := c.rest(ctx)
			for ord := range awake {
				if k := c.at(seat(ord)); k == nil {
					delete(awake, ord)
				}
			}
			if len(awake) > limit || c.held != len(awake)*oneChild() || len(awake) != before-slept || len(c.ring) != seated(c) {
				t.Fatalf("round %d: %d awake of at most %d, %d before, %d put to sleep, %d in the ring", round, len(awake), limit, before, slept, len(c.ring))
			}
		}
		c.clear(ctx)
		if seated(c) != 0 || len(c.ring) != 0 || c.held != 0 {
			t.Errorf("%d, %d left after clear", seated(c), len(c.ring))
		}
	})
}

func TestTheHandPassesOverWhomItFindsTouched(t *testing.T) {
	onAShard(t, func(ctx actor.Context) {
		c := newChildren(3 * oneChild())
		for ord := range 4 {
			c.spawn(ctx, seat(ord), stateOf(ord))
		}
		c.rest(ctx) // all are touched: the hand goes round once and takes the first
		if c.at(seat(0)) != nil {
			t.Fatal("the first is still awake")
		}
		c.find(seat(1))
		c.spawn(ctx, seat(4), stateOf(4))
		c.rest(ctx)
		if c.at(seat(1)) == nil || c.at(seat(4)) == nil {
			t.Error("a member touched since was put to sleep while another was not")
		}
	})
}

func TestAMemberThatPanickedIsNotMadeAgain(t *testing.T) {
	onAShard(t, func(ctx actor.Context) {
		c := newChildren(3 * oneChild())
		k := c.spawn(ctx, seat(1), stateOf(1))
		if _, ok := c.produce().(deaf); !ok {
			t.Error("an actor was made while none was being spawned")
		}
		m := &activities{acts: []act{{}}} // an activity without a record
		k.box.PostUserMessage(m)
		if m.done {
			t.Error("a message that panicked is done")
		}
	})
}

func TestAChildIsACacheLine(t *testing.T) {
	if got := unsafe.Sizeof(child{}); got != 64 {
		t.Errorf("a child has %d bytes, want 64", got)
	}
}

// A member is weighed again when the hand passes: one that grew takes the place of others.
func TestChildren_AreBoundedInBytes(t *testing.T) {
	onAShard(t, func(ctx actor.Context) {
		c := newChildren(10 * oneChild())
		for ord := range 10 {
			c.spawn(ctx, seat(ord), stateOf(ord))
		}
		if slept := c.rest(ctx); slept != 0 || c.held != 10*oneChild() {
			t.Fatalf("%d slept, %d bytes are held", slept, c.held)
		}
		big := domain.Fields{{Field: domain.Bio, Value: strings.Repeat("x", 6*oneChild())}}
		c.at(seat(4)).state().Member.Profile = big
		c.spawn(ctx, seat(10), stateOf(10))
		c.rest(ctx)
		real := 0
		for _, k := range c.ring {
			real += childBytes + k.state().Bytes()
		}
		if c.held > c.limit || c.held != real || seated(c) == 11 {
			t.Errorf("%d children of %d bytes are awake, %d are held", seated(c), real, c.held)
		}
	})
}
