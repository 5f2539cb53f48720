package childrentest

import (
	"log/slog"
	"runtime/debug"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/internal/mailbox"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Run runs f as the message of an actor, on the goroutine of the test, with children of that actor. A panic
// of f fails the test: the actor would swallow it.
func Run(t testing.TB, f func(*children.Children)) {
	t.Helper()
	system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
	t.Cleanup(system.Shutdown)
	c := children.New()
	stop := actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
	pid := system.Root.Spawn(mailbox.Props(func() actor.Actor {
		return actor.ReceiveFunc(func(ctx actor.Context) {
			c.Enter(ctx)
			defer c.Leave()
			if g, ok := ctx.Message().(func(*children.Children)); ok {
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("panic: %v\n%s", r, debug.Stack())
					}
				}()
				g(c)
			}
		})
	}).Configure(actor.WithSupervisor(stop)))
	system.Root.Send(pid, f)
}
