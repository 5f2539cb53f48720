package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
	"github.com/ovation-analytics/ovation/actors/member"
)

// children are the member actors of a shard. Those that were not touched lately are
// put to sleep, at a commit: until then they hold what the store does not have yet.
//
// Who was touched is a mark on each, and a hand goes round: it takes marks away and
// puts to sleep whom it finds without one. An order by last use would be exacter, and
// would read and write two neighbours somewhere in memory with every touch.
type children struct {
	limit int                           // bytes
	held  int                           // bytes of all, as of when the hand last passed each
	seats map[domain.AccountID][]*child // by ordinal; nil: asleep
	of    domain.AccountID              // the account asked about last, and its seats
	last  []*child
	ring  []*child // all of them, in any order
	hand  int
	props *actor.Props // of all, so that it is in the processor's cache
	next  *child       // being spawned
}

// child is an awake member: its actor, and what the shard has to do with it. It is
// 64 bytes, a cache line: of a record's cost most is waiting for its member's lines.
type child struct {
	group   *group // of the micro-batch being applied; nil: none yet
	actor   memberActor
	box     mailbox.Mailbox
	pid     *actor.PID
	touched bool
	bytes   int32 // as held has it
}

// childBytes is what an actor takes beside its state: its context, its process, its names.
const childBytes = 660

// weigh notes how many bytes a child takes now.
func (c *children) weigh(k *child) {
	c.held -= int(k.bytes)
	k.bytes = int32(min(childBytes+k.state().Bytes(), 1<<30))
	c.held += int(k.bytes)
}

// send has the member apply a message, on this goroutine: done is set when it is.
func (k *child) send(ctx actor.Context, m any, done *bool) {
	if ctx.Send(k.pid, m); !*done {
		panic("a member actor failed")
	}
}

// state is the member's.
func (k *child) state() *member.State { return k.actor.state }

// at is where the shard keeps the member.
func (k *child) at() member.Place {
	m := &k.actor.state.Member
	return member.Place{Account: m.Account, Ord: m.Ord}
}

func newChildren(limit int) *children {
	c := &children{limit: limit, seats: map[domain.AccountID][]*child{}}
	c.props = mailbox.Props(c.produce).Configure(actor.WithMailbox(func() actor.Mailbox { return &c.next.box }))
	return c
}

// produce is the actor of the member being spawned. An actor that panicked is not
// made again: its state is lost, the shard starts anew and lets go of it.
func (c *children) produce() actor.Actor {
	if c.next == nil {
		return deaf{}
	}
	return &c.next.actor
}

// deaf is an actor that does nothing: who sends to it finds the message not done.
type deaf struct{}

// Receive does nothing.
func (deaf) Receive(actor.Context) {}

// at is the child in a place; nil when it sleeps.
func (c *children) at(p member.Place) *child {
	if p.Account != c.of {
		c.of, c.last = p.Account, c.seats[p.Account]
	}
	if int(p.Ord) >= len(c.last) {
		return nil
	}
	return c.last[p.Ord]
}

// sit puts a child into a place; nil: the place is free.
func (c *children) sit(p member.Place, k *child) {
	seats := c.seats[p.Account]
	if n := int(p.Ord) + 1; n > len(seats) {
		seats = append(seats, make([]*child, n-len(seats))...)
		c.seats[p.Account], c.of = seats, 0
	}
	seats[p.Ord] = k
}

// find is the child, touched; nil when it sleeps.
func (c *children) find(p member.Place) *child {
	k := c.at(p)
	if k != nil {
		k.touched = true
	}
	return k
}

// spawn wakes a member.
func (c *children) spawn(ctx actor.Context, at member.Place, s *member.State) *child {
	k := &child{touched: true, actor: memberActor{s}}
	c.next = k
	k.pid = ctx.Spawn(c.props)
	c.next = nil
	c.sit(at, k)
	c.weigh(k)
	c.ring = append(c.ring, k)
	return k
}

// rest puts members to sleep until those awake take no more than the limit.
func (c *children) rest(ctx actor.Context) (slept int) {
	for c.held > c.limit {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		if k := c.ring[c.hand]; k.touched {
			k.touched = false
			c.weigh(k)
			c.hand++
			continue
		}
		c.sleep(ctx, c.hand)
		slept++
	}
	return slept
}

// clear puts all to sleep.
func (c *children) clear(ctx actor.Context) {
	for len(c.ring) > 0 {
		c.sleep(ctx, len(c.ring)-1)
	}
}

// sleep ends the child at a place of the ring; the last one takes its place.
func (c *children) sleep(ctx actor.Context, i int) {
	k, last := c.ring[i], len(c.ring)-1
	c.held -= int(k.bytes)
	c.ring[i], c.ring[last] = c.ring[last], nil
	c.ring = c.ring[:last]
	c.sit(k.at(), nil)
	ctx.Stop(k.pid)
}
