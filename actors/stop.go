package actors

import (
	"fmt"
	"strings"
	"time"
)

// StopError says what of a node still ran when the time of Stop was over. Its stores must
// not be closed: the process ends without, and the log has what they lack.
type StopError struct {
	Within time.Duration
	Still  []string
}

// Error names what still runs.
func (e *StopError) Error() string {
	return fmt.Sprintf("the node did not stop within %v, still running: %s; "+
		"its stores are left as they are and what they lack is read from the log again",
		e.Within, strings.Join(e.Still, ", "))
}

// Stop ends the actors: routers first, so that nothing more comes; what is in the log and
// not applied is applied by the next life. Stores are closed when it returns nil. It
// returns within the time given, whatever hangs: then it is a *StopError.
func (n *Node) Stop(within time.Duration) error {
	if n.lifetime.cancel == nil {
		return nil // it was never opened
	}
	w := stopWait{timer: time.NewTimer(within)}
	defer w.timer.Stop()
	n.lifetime.endLoad()
	w.wait(after(n.Leave), "the last beat")
	w.wait(after(n.usage.finish), "the last hits")
	root := n.system.Root
	if n.routing.pid != nil {
		root.Stop(n.routing.pid)
		w.wait(n.routing.done, "routers")
	}
	for _, s := range n.here() {
		root.Stop(s.pid)
	}
	for _, s := range n.here() { // protoactor's own future waits for 10 s, whatever the caller has
		w.wait(s.done, fmt.Sprint("shard ", s.ID))
	}
	if n.catalogReader.pid != nil {
		root.Stop(n.catalogReader.pid)
		w.wait(n.catalogReader.done, "the catalog")
	}
	n.lifetime.cancel()
	w.wait(after(n.lifetime.beside.Wait), "usage, ticks, upgrades of rules and trims")
	n.usage.warnOfLost(n.o.Log)
	w.wait(after(n.executor.Wait), "questions")
	for _, s := range n.here() { // other readers of the store: look-ups of one member, loads of a cold brand
		w.wait(after(s.View.Wait), fmt.Sprint("readers of shard ", s.ID))
	}
	for _, l := range append(n.appenders, n.catalogReader.appender) {
		w.wait(l.Done(), fmt.Sprint("appends of commands to partition ", l.Partition()))
	}
	if len(w.still) > 0 {
		return &StopError{within, w.still}
	}
	n.system.Shutdown()
	return nil
}

// stopGlance is how long Stop looks at what is left when its time is over.
const stopGlance = 5 * time.Millisecond

// stopWait waits for one thing after the other until its time is over.
type stopWait struct {
	timer   *time.Timer
	expired bool
	still   []string
}

func (w *stopWait) wait(done <-chan struct{}, what string) {
	if !w.expired {
		select {
		case <-done:
			return
		case <-w.timer.C:
			w.expired = true
		}
	}
	select {
	case <-done:
	case <-time.After(stopGlance):
		w.still = append(w.still, what)
	}
}

// after is closed when f has returned.
func after(f func()) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	return done
}
