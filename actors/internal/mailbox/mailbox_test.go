package mailbox

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/google/go-cmp/cmp"
)

// script is an actor that notes what it gets and does what a message says.
type script struct {
	got []string
}

func (s *script) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case string:
		s.got = append(s.got, m)
	case func(actor.Context):
		s.got = append(s.got, "begin")
		m(ctx)
		s.got = append(s.got, "end")
	}
}

func spawnScript(t *testing.T) (*actor.RootContext, *actor.PID, *script) {
	t.Helper()
	s := &script{}
	system := actor.NewActorSystem()
	t.Cleanup(system.Shutdown)
	return system.Root, system.Root.Spawn(Props(func() actor.Actor { return s })), s
}

func TestMailbox_ProcessesBeforeSendReturns(t *testing.T) {
	root, pid, s := spawnScript(t)
	root.Send(pid, "one")
	root.Send(pid, "two")
	if diff := cmp.Diff([]string{"one", "two"}, s.got); diff != "" {
		t.Error(diff)
	}
}

func TestMailbox_QueuesWhatIsPostedFromWithin(t *testing.T) {
	root, pid, s := spawnScript(t)
	root.Send(pid, func(ctx actor.Context) {
		ctx.Send(ctx.Self(), "later")
		ctx.Send(ctx.Self(), "last")
	})
	root.Send(pid, "after")
	if diff := cmp.Diff([]string{"begin", "end", "later", "last", "after"}, s.got); diff != "" {
		t.Error(diff)
	}
}

func TestMailbox_StoppedActorGetsNothing(t *testing.T) {
	root, pid, s := spawnScript(t)
	root.Send(pid, func(ctx actor.Context) {
		ctx.Send(ctx.Self(), "waits behind the stop")
		ctx.Stop(ctx.Self())
	})
	root.Send(pid, "after")
	if diff := cmp.Diff([]string{"begin", "end"}, s.got); diff != "" {
		t.Error(diff)
	}
}

func TestMailbox_PanicReachesTheSupervisorOnly(t *testing.T) {
	root, pid, s := spawnScript(t)
	root.Send(pid, func(actor.Context) { panic("on purpose") })
	root.Send(pid, "after") // the supervisor has restarted it
	if diff := cmp.Diff([]string{"begin", "after"}, s.got); diff != "" {
		t.Error(diff)
	}
}

func TestMailbox_SuspendedActorKeepsItsMessages(t *testing.T) {
	var got []any
	b := &Mailbox{}
	b.RegisterHandlers(invoker(func(m any) { got = append(got, m) }), nil)
	b.PostSystemMessage(&actor.SuspendMailbox{})
	b.PostUserMessage("one")
	b.PostUserMessage("two")
	if len(got) != 0 || b.UserMessageCount() != 2 {
		t.Fatalf("suspended: processed %v, %d wait", got, b.UserMessageCount())
	}
	b.PostSystemMessage(&actor.ResumeMailbox{})
	if diff := cmp.Diff([]any{"one", "two"}, got); diff != "" {
		t.Error(diff)
	}
	if b.UserMessageCount() != 0 {
		t.Errorf("%d messages wait", b.UserMessageCount())
	}
}

// invoker gives what is to be processed to a function.
type invoker func(m any)

func (f invoker) InvokeSystemMessage(m any) { f(m) }
func (f invoker) InvokeUserMessage(m any)   { f(m) }
func (f invoker) EscalateFailure(r, _ any)  { panic(r) }

// BenchmarkSend is what a message to a child costs.
func BenchmarkSend(b *testing.B) {
	type done struct{ done bool }
	system := actor.NewActorSystem()
	defer system.Shutdown()
	pid := system.Root.Spawn(Props(func() actor.Actor {
		return actor.ReceiveFunc(func(ctx actor.Context) {
			if m, ok := ctx.Message().(*done); ok {
				m.done = true
			}
		})
	}))
	m := &done{}
	for b.Loop() {
		system.Root.Send(pid, m)
	}
	if !m.done {
		b.Fatal("not processed")
	}
}
