package members

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
)

func seat(ord int) member.Place { return member.Place{Account: 1, Ord: domain.Ordinal(ord)} }

// seated is how many actors have a place.
func seated(c *Loaded) (n int) {
	for _, byOrdinal := range c.byOrdinal {
		for _, k := range byOrdinal {
			if k != nil {
				n++
			}
		}
	}
	return n
}

// touch is the member's actor, touched; nil: it is not loaded.
func touch(c *Loaded, at member.Place) *Member {
	if c.At(at) == nil {
		return nil
	}
	k, _ := c.Load(at)
	return k
}

func stateOf(ord int) *member.State {
	return member.NewState(&domain.Member{Ord: domain.Ordinal(ord), Account: 1, State: domain.MemberActive})
}

// oneActor is the bytes of an actor as stateOf makes it.
func oneActor() int { return childBytes + stateOf(0).Bytes() }

func TestLoaded_TouchedSinceTheHandPassedStays(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	childrentest.Run(t, func(kids *children.Children) {
		const limit, members = 20, 60
		c, loaded := New(limit*oneActor(), kids, nil, nil), map[int]bool{}
		for round := range 300 {
			touched := map[int]bool{}
			for range rnd.IntN(limit) { // fewer than the limit: all of them can stay
				ord := rnd.IntN(members)
				touched[ord] = true
				k := touch(c, seat(ord))
				if (k != nil) != loaded[ord] {
					t.Fatalf("round %d: member %d loaded: %v, want %v", round, ord, k != nil, loaded[ord])
				}
				if k == nil {
					k = c.Spawn(seat(ord), stateOf(ord))
					loaded[ord] = true
				}
				if k.State().Member.Ord != domain.Ordinal(ord) || touch(c, seat(ord)) != k {
					t.Fatalf("round %d: member %d is not found as itself", round, ord)
				}
			}
			before := len(loaded)
			evicted := c.Evict()
			for ord := range loaded {
				if k := c.At(seat(ord)); k == nil {
					delete(loaded, ord)
				}
			}
			if len(loaded) > limit || c.held != len(loaded)*oneActor() || len(loaded) != before-evicted || len(c.ring) != seated(c) {
				t.Fatalf("round %d: %d loaded of at most %d, %d before, %d unloaded, %d in the ring", round, len(loaded), limit, before, evicted, len(c.ring))
			}
		}
		c.Clear()
		if seated(c) != 0 || len(c.ring) != 0 || c.held != 0 {
			t.Errorf("%d, %d left after clear", seated(c), len(c.ring))
		}
	})
}

func TestLoaded_TheHandSkipsTouched(t *testing.T) {
	childrentest.Run(t, func(kids *children.Children) {
		c := New(3*oneActor(), kids, nil, nil)
		for ord := range 4 {
			c.Spawn(seat(ord), stateOf(ord))
		}
		c.Evict() // all are touched: the hand goes round once and takes the first
		if c.At(seat(0)) != nil {
			t.Fatal("the first is still loaded")
		}
		touch(c, seat(1))
		c.Spawn(seat(4), stateOf(4))
		c.Evict()
		if c.At(seat(1)) == nil || c.At(seat(4)) == nil {
			t.Error("a member touched since was unloaded while another was not")
		}
	})
}

func TestActor_IsACacheLine(t *testing.T) {
	if got := unsafe.Sizeof(Member{}); got != 64 {
		t.Errorf("an actor has %d bytes, want 64", got)
	}
}

// A member is weighed again when the hand passes: one that grew takes the place of others.
func TestLoaded_IsBoundedInBytes(t *testing.T) {
	childrentest.Run(t, func(kids *children.Children) {
		c := New(10*oneActor(), kids, nil, nil)
		for ord := range 10 {
			c.Spawn(seat(ord), stateOf(ord))
		}
		if evicted := c.Evict(); evicted != 0 || c.held != 10*oneActor() {
			t.Fatalf("%d evicted, %d bytes are held", evicted, c.held)
		}
		c.At(seat(4)).State().Member.Personal.Data = strings.Repeat("x", 6*oneActor())
		c.Spawn(seat(10), stateOf(10))
		c.Evict()
		real := 0
		for _, k := range c.ring {
			real += childBytes + k.State().Bytes()
		}
		if c.held > c.limit || c.held != real || seated(c) == 11 {
			t.Errorf("%d actors of %d bytes are loaded, %d are held", seated(c), real, c.held)
		}
	})
}
