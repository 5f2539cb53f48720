package children

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
)

// Children spawns and stops the children of a shard. It belongs to the shard's goroutine.
type Children struct {
	ctx   actor.Context // of the message that the shard handles; nil: none
	props *actor.Props  // of all, so that it is in the processor's cache
	next  *Child        // being spawned
}

// New is without children.
func New() *Children {
	c := &Children{}
	c.props = mailbox.Props(c.produce).Configure(actor.WithMailbox(func() actor.Mailbox { return &c.next.box }))
	return c
}

// Enter has children be spawned and stopped in the context of a message of the shard, until Leave.
func (c *Children) Enter(ctx actor.Context) { c.ctx = ctx }

// Leave ends what Enter began.
func (c *Children) Leave() { c.ctx = nil }

// Spawn starts a child.
func (c *Children) Spawn(k *Child) {
	c.next = k
	k.pid = c.ctx.Spawn(c.props)
	c.next = nil
}

// Stop ends a child.
func (c *Children) Stop(k *Child) { c.ctx.Stop(k.pid) }

// produce is the actor of the child being spawned. One that panicked is not made again: what it knew is
// not to be relied on.
func (c *Children) produce() actor.Actor {
	if c.next == nil {
		return deadActor{}
	}
	return performer{}
}

// Child is an actor below a shard. Its zero value is to be spawned. It is 40 bytes, so that a member's
// actor is a cache line.
type Child struct {
	box mailbox.Mailbox
	pid *actor.PID
}

// Do is the message of a child.
type Do struct {
	F       func()
	done    bool     // false: the child has panicked
	failure *Failure // of this time; nil: the child had panicked before
}

// Failed notes a panic of F.
func (d *Do) Failed(cause any, stack []byte) {
	d.failure = &Failure{Cause: cause, Stack: string(stack)}
}

// Failure is a panic of a child.
type Failure struct {
	Cause any
	Stack string
}

// Error is the cause.
func (f *Failure) Error() string { return fmt.Sprint(f.Cause) }

// errDead is the panic of a child that is used after a panic.
var errDead = errors.New("a child of the shard that has panicked is used again")

// Do runs d.F as the child. It panics with a *Failure where F panics, and with errDead where an earlier
// one did.
func (k *Child) Do(d *Do) {
	d.done, d.failure = false, nil
	if k.box.PostUserMessage(d); d.done {
		return
	}
	if d.failure != nil {
		panic(d.failure)
	}
	panic(errDead)
}

// Prefetch reads the child's cache lines. The result means nothing; it keeps the reads.
func (k *Child) Prefetch() uint64 { return k.box.Prefetch() }

// performer is the actor of a child.
type performer struct{}

// Receive runs the function.
func (performer) Receive(ctx actor.Context) {
	if d, ok := ctx.Message().(*Do); ok {
		d.F()
		d.done = true
	}
}

// deadActor does nothing: its sender finds the message not done.
type deadActor struct{}

// Receive does nothing.
func (deadActor) Receive(actor.Context) {}
