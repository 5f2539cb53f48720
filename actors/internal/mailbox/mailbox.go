package mailbox

import (
	"runtime/debug"

	"github.com/asynkron/protoactor-go/actor"
)

// Mailbox runs an actor on the goroutine that posts, which is its shard's: a message posted is
// processed when the call returns, one posted from within it waits. Only that goroutine posts,
// so there is neither lock nor queue on the way: the queue of a general mailbox was a tenth of
// what a record costs.
type Mailbox struct {
	invoker            actor.MessageInvoker
	waits              *waits // nil: nothing
	running, suspended bool
}

// waits are messages posted from within, or to a suspended actor: rare, and apart, so
// that a mailbox is small.
type waits struct{ system, user []any }

// Props are the props of an actor with such a mailbox.
func Props(produce func() actor.Actor) *actor.Props {
	return actor.PropsFromProducer(produce, actor.WithMailbox(func() actor.Mailbox { return new(Mailbox) }))
}

// RegisterHandlers is called once, before the first message.
func (b *Mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	b.invoker = invoker
}

// actorContext is what of an actor's context can be looked at.
type actorContext interface {
	Message() any
	Actor() actor.Actor
}

// Prefetch prefetches the actor's context, two cache lines: a caller that posts to many actors has
// the misses overlap. The result means nothing; it keeps the reads.
func (b *Mailbox) Prefetch() uint64 {
	if c, ok := b.invoker.(actorContext); ok && c.Message() == nil && c.Actor() != nil {
		return 1
	}
	return 0
}

// Start has nothing to start.
func (b *Mailbox) Start() {}

// UserMessageCount is the number of messages that wait.
func (b *Mailbox) UserMessageCount() int {
	if b.waits == nil {
		return 0
	}
	return len(b.waits.user)
}

// PostUserMessage processes the message, unless another one is under way.
func (b *Mailbox) PostUserMessage(m any) {
	if b.running || b.suspended {
		w := b.waiting()
		w.user = append(w.user, m)
		return
	}
	b.running = true
	b.process(m)
	b.rest()
}

// PostSystemMessage processes a message of the actor system.
func (b *Mailbox) PostSystemMessage(m any) {
	w := b.waiting()
	w.system = append(w.system, m)
	if !b.running {
		b.running = true
		b.rest()
	}
}

func (b *Mailbox) waiting() *waits {
	if b.waits == nil {
		b.waits = &waits{}
	}
	return b.waits
}

// rest processes what waits, the system's messages first.
func (b *Mailbox) rest() {
	for b.waits != nil {
		switch w := b.waits; {
		case len(w.system) > 0:
			m := w.system[0]
			w.system = w.system[1:]
			b.obey(m)
		case len(w.user) > 0 && !b.suspended:
			m := w.user[0]
			w.user = w.user[1:]
			b.process(m)
		case len(w.user) > 0:
			b.running = false
			return
		default:
			b.waits = nil
		}
	}
	b.running = false
}

func (b *Mailbox) process(m any) {
	defer b.rescue(m)
	b.invoker.InvokeUserMessage(m)
}

func (b *Mailbox) obey(m any) {
	defer b.rescue(m)
	switch m.(type) {
	case *actor.SuspendMailbox:
		b.suspended = true
	case *actor.ResumeMailbox:
		b.suspended = false
	default:
		b.invoker.InvokeSystemMessage(m)
	}
}

// Failing is a message that notes the panic of the actor that received it.
type Failing interface {
	// Failed notes the cause, and the stack of the goroutine at it.
	Failed(cause any, stack []byte)
}

// rescue notes a panic in its message, and passes it to the supervisor.
func (b *Mailbox) rescue(m any) {
	if r := recover(); r != nil {
		if f, ok := m.(Failing); ok {
			f.Failed(r, debug.Stack())
		}
		b.invoker.EscalateFailure(r, m)
	}
}
