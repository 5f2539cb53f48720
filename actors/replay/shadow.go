package replay

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Shadow replays a shard's journal into a store of its own, by the shard's own code, and sends
// nothing. One goroutine.
type Shadow struct {
	root     *actor.RootContext
	handle   *shard.Handle
	limit    *ceiling
	appender *journal.PartitionAppender
	pid      *actor.PID
	cancel   context.CancelFunc
	done     chan struct{} // closed when the shard's part of the store is closed

	resident atomic.Int64
}

// Options is what a replay is made with.
type Options struct {
	Open func() (shard.Store, error) // an empty store, and the same again
	// Pace waits until so many more records may be applied; nil: at once. Replays may share
	// it.
	Pace func(ctx context.Context, records int) error

	MemberBytes   int // memory for members that are loaded; default 6 MiB
	ResidentBytes int // memory for columns; default 32 MiB
}

// shadowIdentities is how many identities a shadow remembers in each of two generations.
const shadowIdentities = 10_000

// Replay begins a replay of a shard's journal from its start; it applies nothing before To. The
// catalog is read to its end first.
func (j *Journals) Replay(ctx context.Context, id int, o Options) (*Shadow, error) {
	if err := j.c.CatchUp(ctx); err != nil {
		return nil, err
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil)) // To returns what becomes of it
	run, cancel := context.WithCancel(j.c.Ctx)
	s := &Shadow{
		root: j.c.System.Root, handle: shard.NewHandle(id), cancel: cancel, done: make(chan struct{}),
		limit:    &ceiling{raised: make(chan struct{}, 1), pace: o.Pace},
		appender: journal.StartAppender(run, nowhere{}, id, quiet),
	}
	c := j.c.Settings(id, s.handle)
	s.resident.Store(int64(cmp.Or(o.ResidentBytes, 32<<20) * c.Shards)) // a shard takes its part
	c.Journal = limitedLog{c.Journal, s.limit}
	c.Appender = s.appender
	c.Open = o.Open
	c.Hooks.SetAside = func(catalog.RecordPlace) error { return nil }
	c.Hooks.Counted, c.Hooks.Delivered = nil, nil
	c.Hooks.Newer = nil
	c.Log = quiet
	c.Publishing.DeadLetters = nowhere{}
	c.Publishing.DataKeys = nowhere{}
	c.Duty = standby{}
	c.Memory.MemberBytes = cmp.Or(o.MemberBytes, 6<<20)
	c.Memory.Identities = shadowIdentities
	c.Memory.Resident = &s.resident
	c.Lifetime = shard.Lifetime{Ctx: run, Done: s.done}
	s.pid = s.root.Spawn(shard.Props(&c))
	return s, nil
}

// Applied is the offset after the last record applied and committed.
func (s *Shadow) Applied() int64 { return s.handle.Applied.Load() }

// To returns when all records below an offset, which is not beyond the journal's end, are
// applied and committed, and no other. An *Error says why they cannot be.
func (s *Shadow) To(ctx context.Context, offset int64) error {
	s.limit.raise(offset)
	for {
		moved := s.handle.Progress.Next()
		if s.Applied() >= offset {
			return nil
		}
		if why := s.handle.Stopped.Load(); why != nil {
			return &Error{Why: *why, Gap: s.handle.Met.Load()}
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stop ends the replay; the shard's part of the store is closed when it returns.
func (s *Shadow) Stop() {
	s.cancel()
	s.root.Stop(s.pid)
	<-s.done
	<-s.appender.Done()
}

// nowhere takes everything and keeps nothing.
type nowhere struct{}

// Append reports success.
func (nowhere) Append(context.Context, int, []domain.Record) (int64, error) { return 0, nil }

// AppendEach reports success.
func (nowhere) AppendEach(_ context.Context, batches [][]domain.Record, done func(int, int64)) {
	for p := range batches {
		done(p, 0)
	}
}

// Publish reports success.
func (nowhere) Publish(context.Context, []domain.DeadLetter) error { return nil }

// Delete deletes nothing.
func (nowhere) Delete(context.Context, []domain.KeyID) error { return nil }

// standby is a shard that publishes nothing, whatever becomes of the others.
type standby struct{}

// Node is none.
func (standby) Node() domain.NodeID { return domain.NodeID{} }

// Rank is not known.
func (standby) Rank() int { return -1 }

// RankOf is not known.
func (standby) RankOf(domain.NodeID) int { return -1 }

// Alone is true: the shard of the node tells what others do.
func (standby) Alone() bool { return true }

// Receiver is none.
func (standby) Receiver(int) *shard.Handle { return nil }
