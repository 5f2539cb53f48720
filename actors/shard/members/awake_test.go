package members

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

// onShard runs f as the message of an actor, as a shard has its members.
func onShard(t *testing.T, f func(actor.Context)) {
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

// seated is how many actors have a place.
func seated(c *Awake) (n int) {
	for _, seats := range c.seats {
		for _, k := range seats {
			if k != nil {
				n++
			}
		}
	}
	return n
}

// touch is the member's actor, touched; nil: it sleeps.
func touch(c *Awake, at member.Place) *Actor {
	if c.At(at) == nil {
		return nil
	}
	k, _ := c.Wake(nil, at)
	return k
}

func stateOf(ord int) *member.State {
	return member.NewState(&domain.Member{Ord: domain.Ordinal(ord), Account: 1, State: domain.MemberActive})
}

// oneActor is the bytes of an actor as stateOf makes it.
func oneActor() int { return actorBytes + stateOf(0).Bytes() }

func TestAwake_TouchedSinceTheHandPassedStays(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	onShard(t, func(ctx actor.Context) {
		const limit, members = 20, 60
		c, awake := New(limit*oneActor(), nil, nil), map[int]bool{}
		for round := range 300 {
			touched := map[int]bool{}
			for range rnd.IntN(limit) { // fewer than the limit: all of them can stay
				ord := rnd.IntN(members)
				touched[ord] = true
				k := touch(c, seat(ord))
				if (k != nil) != awake[ord] {
					t.Fatalf("round %d: member %d awake: %v, want %v", round, ord, k != nil, awake[ord])
				}
				if k == nil {
					k = c.Spawn(ctx, seat(ord), stateOf(ord))
					awake[ord] = true
				}
				if k.State().Member.Ord != domain.Ordinal(ord) || touch(c, seat(ord)) != k {
					t.Fatalf("round %d: member %d is not found as itself", round, ord)
				}
			}
			before := len(awake)
			slept := c.Rest(ctx)
			for ord := range awake {
				if k := c.At(seat(ord)); k == nil {
					delete(awake, ord)
				}
			}
			if len(awake) > limit || c.held != len(awake)*oneActor() || len(awake) != before-slept || len(c.ring) != seated(c) {
				t.Fatalf("round %d: %d awake of at most %d, %d before, %d put to sleep, %d in the ring", round, len(awake), limit, before, slept, len(c.ring))
			}
		}
		c.Clear(ctx)
		if seated(c) != 0 || len(c.ring) != 0 || c.held != 0 {
			t.Errorf("%d, %d left after clear", seated(c), len(c.ring))
		}
	})
}

func TestAwake_TheHandSkipsTouched(t *testing.T) {
	onShard(t, func(ctx actor.Context) {
		c := New(3*oneActor(), nil, nil)
		for ord := range 4 {
			c.Spawn(ctx, seat(ord), stateOf(ord))
		}
		c.Rest(ctx) // all are touched: the hand goes round once and takes the first
		if c.At(seat(0)) != nil {
			t.Fatal("the first is still awake")
		}
		touch(c, seat(1))
		c.Spawn(ctx, seat(4), stateOf(4))
		c.Rest(ctx)
		if c.At(seat(1)) == nil || c.At(seat(4)) == nil {
			t.Error("a member touched since was put to sleep while another was not")
		}
	})
}

func TestAwake_APanickedActorIsNotMadeAgain(t *testing.T) {
	onShard(t, func(ctx actor.Context) {
		c := New(3*oneActor(), nil, nil)
		k := c.Spawn(ctx, seat(1), stateOf(1))
		if _, ok := c.produce().(deaf); !ok {
			t.Error("an actor was made while none was being spawned")
		}
		m := &activities{acts: []Activity{{}}} // an activity without a record
		k.box.PostUserMessage(m)
		if m.done {
			t.Error("a message that panicked is done")
		}
	})
}

func TestActor_IsACacheLine(t *testing.T) {
	if got := unsafe.Sizeof(Actor{}); got != 64 {
		t.Errorf("an actor has %d bytes, want 64", got)
	}
}

// A member is weighed again when the hand passes: one that grew takes the place of others.
func TestAwake_IsBoundedInBytes(t *testing.T) {
	onShard(t, func(ctx actor.Context) {
		c := New(10*oneActor(), nil, nil)
		for ord := range 10 {
			c.Spawn(ctx, seat(ord), stateOf(ord))
		}
		if slept := c.Rest(ctx); slept != 0 || c.held != 10*oneActor() {
			t.Fatalf("%d slept, %d bytes are held", slept, c.held)
		}
		big := domain.Fields{{Field: domain.Bio, Value: strings.Repeat("x", 6*oneActor())}}
		c.At(seat(4)).State().Member.Profile = big
		c.Spawn(ctx, seat(10), stateOf(10))
		c.Rest(ctx)
		real := 0
		for _, k := range c.ring {
			real += actorBytes + k.State().Bytes()
		}
		if c.held > c.limit || c.held != real || seated(c) == 11 {
			t.Errorf("%d actors of %d bytes are awake, %d are held", seated(c), real, c.held)
		}
	})
}
