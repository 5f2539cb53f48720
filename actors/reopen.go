package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Reopen closes a shard's part of the store and opens it again, of a shard too that has
// stopped. What it finds there may be as of an earlier record: the shard applies the journal
// from there on, and answers no question before it is where it was. Reopen returns when it
// is; the error says why it is not.
func (n *Node) Reopen(ctx context.Context, id int) error {
	if id < 0 || id >= len(n.pids) {
		return ErrNoShard
	}
	s := n.shared[id]
	m := &shard.Reopen{Done: make(chan struct{})}
	n.system.Root.Send(n.pids[id], m)
	select {
	case <-m.Done:
	case <-n.ctx.Done():
		return n.ctx.Err()
	}
	for failures := 1; ; failures++ {
		switch shard.Behaviour(s.Behaviour.Load()) {
		case shard.Serving:
			return nil
		case shard.Stopped:
			if why := s.Stopped.Load(); why != nil {
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
func (n *Node) Rebuildable(ctx context.Context, id int) error {
	if err := n.loaded(ctx, id); err != nil {
		return err
	}
	if n.LedBack(id) {
		return &ReplayError{Why: "the log was cut, or is another topic, and the operator accepted that: the shard has applied what it held before, and a rebuild would be without it"}
	}
	now := n.o.Journal.Topic()
	if l := n.Catalog().Layout(); l != nil && l.Journal != now {
		return &ReplayError{Why: fmt.Sprintf("the journal is another topic than that of the installation, %v instead of %v", now, l.Journal)}
	}
	applied, err := n.Applied(id)
	if err != nil {
		return err
	}
	end, err := n.o.Journal.End(ctx, id)
	if err == nil && end < applied {
		return &ReplayError{Why: fmt.Sprintf("the journal ends at offset %d, the shard has applied all below %d: a rebuild would be without the rest", end, applied)}
	}
	return err
}

// loaded returns once a shard has read its store, or stopped: before that it has applied more
// than it says, and a replay that is as far as it says would be without the rest.
func (n *Node) loaded(ctx context.Context, id int) error {
	if id < 0 || id >= len(n.shared) {
		return ErrNoShard
	}
	for failures := 1; shard.Behaviour(n.shared[id].Behaviour.Load()) == shard.Recovering; failures++ {
		if !retry.Backoff(ctx, failures) {
			return ctx.Err()
		}
	}
	return nil
}
