package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/internal/retry"
)

// reopen has a shard close its part of the store and open it again.
type reopen struct{ done chan struct{} } // closed when it has

// Reopen closes a shard's part of the store and opens it again, of a shard too that has
// stopped. What it finds there may be as of an earlier record: the shard applies the journal
// from there on, and answers no question before it is where it was. Reopen returns when it
// is; the error says why it is not.
func (n *Node) Reopen(ctx context.Context, shard int) error {
	if shard < 0 || shard >= len(n.pids) {
		return ErrNoShard
	}
	s := n.shared[shard]
	m := &reopen{make(chan struct{})}
	n.system.Root.Send(n.pids[shard], m)
	select {
	case <-m.done:
	case <-n.ctx.Done():
		return n.ctx.Err()
	}
	for failures := 1; ; failures++ {
		switch behaviour(s.behaviour.Load()) {
		case serving:
			return nil
		case stopped:
			if why := s.stopped.Load(); why != nil {
				return errors.New(*why)
			}
		}
		if !retry.Backoff(ctx, failures) {
			return ctx.Err()
		}
	}
}

// Rebuildable is nil, or a *ReplayError: why the journal does not make a shard anew, since it
// is not the one that the shard was made of. Any other error says that it is not known.
func (n *Node) Rebuildable(ctx context.Context, shard int) error {
	if n.LedBack(shard) {
		return &ReplayError{Why: "the log was cut, or is another topic, and the operator accepted that: the shard has applied what it held before, and a rebuild would be without it"}
	}
	now := n.o.Journal.Topic()
	if l := n.Catalog().Layout(); l != nil && l.Journal != now {
		return &ReplayError{Why: fmt.Sprintf("the journal is another topic than that of the installation, %v instead of %v", now, l.Journal)}
	}
	applied, err := n.Applied(shard)
	if err != nil {
		return err
	}
	end, err := n.o.Journal.End(ctx, shard)
	if err == nil && end < applied {
		return &ReplayError{Why: fmt.Sprintf("the journal ends at offset %d, the shard has applied all below %d: a rebuild would be without the rest", end, applied)}
	}
	return err
}

// reopen starts the shard from what the store has now. Nothing reads its part of the store
// meanwhile: the store may put another one in its place.
func (s *shard) reopen(ctx actor.Context, m *reopen) {
	defer close(m.done)
	s.env.floor = max(s.env.floor, s.env.shared.applied.Load())
	s.become(recovering, s.recovering)
	s.quiesce(ctx)
	s.close()
	s.env.shared.view.Wait()
	s.broken, s.env.singly, s.env.poisoned, s.env.lacks = false, 0, nil, 0
	s.start(ctx)
}

// behindItself reports that the shard was further already, before it was reopened: it shows
// nothing until it is there again.
func (s *shard) behindItself() bool { return s.state.Next < s.env.floor }
