package replay

import (
	"context"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Config is the node whose journals are replayed.
type Config struct {
	Ctx      context.Context // ends when the node stops
	System   *actor.ActorSystem
	Journal  journal.Log
	Catalog  *catalog.Handle
	CatchUp  func(ctx context.Context) error            // reads the catalog to its end
	Shard    func(id int) (*shard.Handle, error)        // of a shard that the node runs
	Settings func(id int, h *shard.Handle) shard.Config // of a shard of the node
}

// Journals are those of the shards of a running node.
type Journals struct{ c Config }

// New is the journals of a node's shards.
func New(c Config) *Journals { return &Journals{c} }

// Error says why a journal cannot be replayed.
type Error struct {
	Why string
	Gap *domain.GapError // what the journal lacks; nil: it is no gap
}

// Error is the reason.
func (e *Error) Error() string { return e.Why }

// Applied is the offset after the last record that a shard committed.
func (j *Journals) Applied(id int) (int64, error) {
	s, err := j.c.Shard(id)
	if err != nil {
		return 0, err
	}
	return s.Applied.Load(), nil
}

// Reached is how far a replay of a shard's journal can go: up to what the shard has applied,
// or, of one that stopped, to the journal's end.
func (j *Journals) Reached(ctx context.Context, id int) (int64, error) {
	s, err := j.loaded(ctx, id)
	if err != nil {
		return 0, err
	}
	if shard.Behaviour(s.Behaviour.Load()) != shard.Stopped {
		return s.Applied.Load(), nil
	}
	return j.c.Journal.End(ctx, id)
}

// Rebuildable is nil, or an *Error: why the journal does not make a shard again, since it is not
// the one that the shard was made of. Any other error says that it is not known.
func (j *Journals) Rebuildable(ctx context.Context, id int) error {
	s, err := j.loaded(ctx, id)
	if err != nil {
		return err
	}
	if j.LedBack(id) {
		return &Error{Why: "the log was cut, or is another topic, and the operator accepted that: " +
			"the shard has applied what it held before, and a rebuild would be without it"}
	}
	now := j.c.Journal.Topic()
	if l := j.c.Catalog.View().Layout(); l != nil && l.Journal != now {
		return &Error{Why: fmt.Sprintf(
			"the journal is another topic than that of the installation, %v instead of %v", now, l.Journal)}
	}
	applied := s.Applied.Load()
	end, err := j.c.Journal.End(ctx, id)
	if err == nil && end < applied {
		return &Error{Why: fmt.Sprintf(
			"the journal ends at offset %d, the shard has applied all below %d: a rebuild would be without the rest",
			end, applied)}
	}
	return err
}

// LedBack reports that an accepted gap of a shard's journal led back, or here from another
// topic: the shard may have applied what the log does not hold any more.
func (j *Journals) LedBack(id int) bool {
	return j.c.Catalog.View().AcceptedGaps().LedBack(j.c.Journal.Topic(), id)
}

// loaded returns once a shard has read its store, or stopped: before that it has applied more
// than it says, and a replay that is as far as it says would be without the rest.
func (j *Journals) loaded(ctx context.Context, id int) (*shard.Handle, error) {
	s, err := j.c.Shard(id)
	if err != nil {
		return nil, err
	}
	for failures := 1; shard.Behaviour(s.Behaviour.Load()) == shard.Recovering; failures++ {
		if !retry.Backoff(ctx, failures) {
			return nil, ctx.Err()
		}
	}
	return s, nil
}
