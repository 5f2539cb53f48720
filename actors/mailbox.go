package actors

import "github.com/asynkron/protoactor-go/actor"

// mailbox is that of an actor which runs on its shard's goroutine: a message posted is
// processed when the call returns, one posted from within it waits its turn. Only
// the shard's goroutine posts, so there is neither lock nor queue on the way: of
// what a record costs, the queue of a general mailbox was a tenth.
type mailbox struct {
	invoker            actor.MessageInvoker
	waits              *waits // nil: nothing
	running, suspended bool
}

// waits are messages posted from within, or to a suspended actor: rare, and apart, so
// that a mailbox is small.
type waits struct{ system, user []any }

// RegisterHandlers is called once, before the first message.
func (b *mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	b.invoker = invoker
}

// actorContext is what of an actor's context can be looked at.
type actorContext interface {
	Message() any
	Actor() actor.Actor
}

// near reads the actor's context, which is two lines of memory: who posts to many lets
// them be waited for side by side. What it gives has no meaning, but that they are read.
func (b *mailbox) near() uint64 {
	if c, ok := b.invoker.(actorContext); ok && c.Message() == nil && c.Actor() != nil {
		return 1
	}
	return 0
}

// Start has nothing to start.
func (b *mailbox) Start() {}

// UserMessageCount is the number of messages that wait.
func (b *mailbox) UserMessageCount() int {
	if b.waits == nil {
		return 0
	}
	return len(b.waits.user)
}

// PostUserMessage processes the message, unless another one is under way.
func (b *mailbox) PostUserMessage(m any) {
	if b.running || b.suspended {
		w := b.waiting()
		w.user = append(w.user, m)
		return
	}
	b.running = true
	b.process(m)
	b.rest()
}

// PostSystemMessage processes what the actor system has to say.
func (b *mailbox) PostSystemMessage(m any) {
	w := b.waiting()
	w.system = append(w.system, m)
	if !b.running {
		b.running = true
		b.rest()
	}
}

func (b *mailbox) waiting() *waits {
	if b.waits == nil {
		b.waits = &waits{}
	}
	return b.waits
}

// rest processes what waits, the system's messages first.
func (b *mailbox) rest() {
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

func (b *mailbox) process(m any) {
	defer b.rescue(m)
	b.invoker.InvokeUserMessage(m)
}

func (b *mailbox) obey(m any) {
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

// rescue tells the supervisor of a panic; the one who posted sees that its message is
// not done.
func (b *mailbox) rescue(m any) {
	if r := recover(); r != nil {
		b.invoker.EscalateFailure(r, m)
	}
}
