package actors

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/shard"
)

// Shadow replays a shard's journal into a store of its own, beside the shard and by the
// shard's own code. What it would send leaves it nowhere: no forward, no dead letter, no
// command, no word to the catalog. One goroutine.
type Shadow struct {
	system   *actor.ActorSystem
	shared   *shard.Handle
	limit    *ceiling
	appender *journal.PartitionAppender
	pid      *actor.PID
	cancel   context.CancelFunc
	done     chan struct{} // closed when the shard's part of the store is closed

	resident atomic.Int64
}

// ShadowOptions is what a replay is made with.
type ShadowOptions struct {
	Open func() (shard.Store, error) // an empty store, and the same again
	// Pace waits until so many more records may be applied; nil: at once. Replays may share
	// it.
	Pace func(ctx context.Context, records int) error

	AwakeBytes    int // memory for members that are awake; default 6 MiB
	ResidentBytes int // memory for columns; default 32 MiB
}

// ReplayError says why a journal cannot be replayed.
type ReplayError struct {
	Why string
	Gap *domain.GapError // what the journal lacks; nil: it is no gap
}

// Error is the reason.
func (e *ReplayError) Error() string { return e.Why }

// Shadow begins a replay of a shard's journal from its start; it applies nothing before
// To. The catalog is read to its end first.
func (n *Node) Shadow(ctx context.Context, id int, o ShadowOptions) (*Shadow, error) {
	if err := n.CatchUp(ctx); err != nil {
		return nil, err
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil)) // what becomes of it is told by To
	run, cancel := context.WithCancel(n.ctx)
	s := &Shadow{
		system: n.system, shared: shard.NewHandle(id), cancel: cancel,
		limit: &ceiling{raised: make(chan struct{}, 1), pace: o.Pace}, appender: journal.StartAppender(run, nowhere{}, id, quiet),
	}
	s.resident.Store(int64(cmp.Or(o.ResidentBytes, 32<<20) * n.shards)) // a shard takes its part
	env := &shard.Config{
		ID: id, Shards: n.shards, Journal: boundLog{n.o.Journal, s.limit}, Appender: s.appender, Open: o.Open,
		Catalog: n.catalog, Handle: s.shared, SetAside: func(catalog.RecordPlace) error { return nil }, Yield: &n.questions, Log: quiet,
		DeadLetters: nowhere{},
		Remedy: func(err error, partition int, accept *domain.AcceptGap) string {
			return n.o.remedy(err, "journal", partition, accept)
		},
		Limits: shard.Limits{
			AwakeBytes: cmp.Or(o.AwakeBytes, 6<<20), Identities: 10_000, MarkEvery: n.o.markEvery,
			OutboxDepth: n.o.outboxDepth, Resident: &s.resident,
		},
		Lifetime: shard.Lifetime{Ctx: run, Done: make(chan struct{})},
	}
	s.done = env.Done
	s.pid = n.system.Root.Spawn(shard.Props(env))
	return s, nil
}

// Applied is the offset after the last record applied and committed.
func (s *Shadow) Applied() int64 { return s.shared.Applied.Load() }

// To returns when all records below an offset, which is not beyond the journal's end, are
// applied and committed, and no other. A *ReplayError says why they cannot be.
func (s *Shadow) To(ctx context.Context, offset int64) error {
	s.limit.raise(offset)
	look := time.NewTicker(20 * time.Millisecond) // a shard that stops makes no progress
	defer look.Stop()
	for s.shared.Applied.Load() < offset {
		if why := s.shared.Stopped.Load(); why != nil {
			return &ReplayError{Why: *why, Gap: s.shared.Met.Load()}
		}
		select {
		case <-s.shared.Progress:
		case <-look.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Stop ends the replay; the shard's part of the store is closed when it returns.
func (s *Shadow) Stop() {
	s.cancel()
	s.system.Root.Stop(s.pid)
	<-s.done
	<-s.appender.Done()
}

// ceiling is how far a replay may go, and how fast.
type ceiling struct {
	to     atomic.Int64
	raised chan struct{} // holds one token after to was raised
	pace   func(ctx context.Context, records int) error
}

func (c *ceiling) raise(to int64) {
	c.to.Store(to)
	select {
	case c.raised <- struct{}{}:
	default:
	}
}

// boundLog is a journal up to a ceiling, to which nothing can be appended.
type boundLog struct {
	journal.Log
	limit *ceiling
}

// Reader reads one partition up to the ceiling.
func (l boundLog) Reader(partition int) journal.Reader {
	return &boundReader{l.Log.Reader(partition), l.limit}
}

// Appender appends nowhere.
func (boundLog) Appender() journal.Appender { return nowhere{} }

type boundReader struct {
	reader journal.Reader
	limit  *ceiling
}

// Read gives what is below the ceiling, and nothing, after a short while, at it.
func (r *boundReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	to := r.limit.to.Load()
	if next >= to {
		t := time.NewTimer(100 * time.Millisecond)
		defer t.Stop()
		select {
		case <-r.limit.raised:
		case <-t.C:
		case <-ctx.Done():
			return domain.Page{}, ctx.Err()
		}
		return domain.Page{Records: spare[:0], Next: next, Epoch: epoch, End: to}, nil
	}
	page, err := r.reader.Read(ctx, next, epoch, spare)
	if err != nil {
		return page, err
	}
	page.End = to
	if page.Next > to {
		page = below(page, to, epoch)
	}
	if r.limit.pace != nil {
		err = r.limit.pace(ctx, len(page.Records))
	}
	return page, err
}

// below is what a page has below an offset; epoch is that of the batch before the page.
func below(page domain.Page, to int64, epoch int32) domain.Page {
	n := len(page.Records)
	for n > 0 && page.Records[n-1].Offset >= to {
		n--
	}
	page.Records, page.Next, page.Epoch = page.Records[:n], to, epoch
	if n > 0 {
		page.Epoch = page.Records[n-1].Epoch
	}
	return page
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

// ErrNoShard says that the node does not run a shard.
var ErrNoShard = errors.New("the node does not run this shard")

// Applied is the offset after the last record that a shard committed.
func (n *Node) Applied(id int) (int64, error) {
	if id < 0 || id >= len(n.shared) {
		return 0, ErrNoShard
	}
	return n.shared[id].Applied.Load(), nil
}

// Reached is how far a replay of a shard's journal can go: up to what the shard has applied,
// or, of one that stopped, to the journal's end.
func (n *Node) Reached(ctx context.Context, id int) (int64, error) {
	if err := n.loaded(ctx, id); err != nil {
		return 0, err
	}
	applied, err := n.Applied(id)
	if err != nil || shard.Behaviour(n.shared[id].Behaviour.Load()) != shard.Stopped {
		return applied, err
	}
	return n.o.Journal.End(ctx, id)
}
