package actors

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/view"
)

var errAway = errors.New("no broker")

// faultyLog is a log in memory with faults. Its hooks may be nil.
type faultyLog struct {
	*memLog
	off    atomic.Bool                                                    // the broker is away
	refuse func(p int) error                                              // an append
	gap    func(p int, next int64) error                                  // before a read
	change func(p int, next int64, page domain.Page) (domain.Page, error) // after a read
}

func newFaultyLog(id byte, partitions int) *faultyLog {
	return &faultyLog{memLog: newMemLog(id, partitions)}
}

// failing is why a partition takes or gives nothing.
func (l *faultyLog) failing() error {
	if l.off.Load() {
		return errAway
	}
	return nil
}

func (l *faultyLog) Appender() journal.Appender  { return l }
func (l *faultyLog) Reader(p int) journal.Reader { return faultyReader{l, l.memLog.Reader(p), p} }

func (l *faultyLog) End(ctx context.Context, p int) (int64, error) {
	if err := l.failing(); err != nil {
		return 0, err
	}
	return l.memLog.End(ctx, p)
}

func (l *faultyLog) Append(ctx context.Context, p int, records []domain.Record) (int64, error) {
	err := l.failing()
	if err == nil && l.refuse != nil {
		err = l.refuse(p)
	}
	if err != nil {
		return 0, err
	}
	return l.memLog.Append(ctx, p, records)
}

// AppendEach leaves everything to Append where appends may be refused.
func (l *faultyLog) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	if l.refuse != nil {
		appendEach(ctx, l, batches, done)
	} else if !l.off.Load() {
		l.memLog.AppendEach(ctx, batches, done)
	}
}

type faultyReader struct {
	l *faultyLog
	journal.Reader
	p int
}

func (r faultyReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	err := r.l.failing()
	if err == nil && r.l.gap != nil {
		err = r.l.gap(r.p, next)
	}
	if err != nil {
		return domain.Page{}, err
	}
	page, err := r.Reader.Read(ctx, next, epoch, spare)
	if away := r.l.failing(); away != nil { // it went while this one waited
		return domain.Page{}, away
	}
	if err == nil && r.l.change != nil {
		return r.l.change(r.p, next, page)
	}
	return page, err
}

// faultySource is a public topic whose pages change faults.
type faultySource struct {
	*memSource
	start  func(p int) int64 // the log's start; nil: 0
	change func(p int, next int64, page domain.SourcePage) (domain.SourcePage, error)
}

func (s *faultySource) Reader(p int) router.SourceReader {
	return faultySourceReader{s, s.memSource.Reader(p), p}
}

type faultySourceReader struct {
	s *faultySource
	router.SourceReader
	p int
}

func (r faultySourceReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Arrival) (domain.SourcePage, error) {
	if r.s.start != nil {
		start := r.s.start(r.p)
		if next >= 0 && next < start {
			end, _ := r.s.End(ctx, r.p)
			return domain.SourcePage{}, &domain.GapError{Kind: domain.GapRetention, TopicID: r.s.id, Partition: r.p, Want: next, Start: start, End: end}
		}
		next = max(next, start)
	}
	page, err := r.SourceReader.Read(ctx, next, epoch, spare)
	if err == nil && r.s.change != nil {
		return r.s.change(r.p, max(next, 0), page)
	}
	return page, err
}

// inBubble runs a test on a clock of its own.
func inBubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.UnixMilli(1_700_000_000_000))) // as the harness's logs
		t.Cleanup(func() { time.Sleep(time.Minute) })             // timers of what was stopped run out
		f(t)
	})
}

// logLines keeps the lines of a log.
type logLines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (d *logLines) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.all.Write(b)
}

func (d *logLines) log() *slog.Logger { return slog.New(slog.NewTextHandler(d, nil)) }

// lines is how many have all of the texts.
func (d *logLines) lines(texts ...string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
next:
	for line := range strings.Lines(d.all.String()) {
		for _, w := range texts {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		n++
	}
	return n
}

// actOf is an activity of a member.
func (r *harness) actOf(id domain.MemberID, hash uint64) domain.Activity {
	return domain.Activity{Member: id, Definition: 100, Brand: 1, Time: 1_600_000_000, Hash: hash}
}

// onceOf is a one-time activity.
func (r *harness) onceOf(id domain.MemberID, hash uint64) domain.Activity {
	a := r.actOf(id, hash)
	a.Definition, a.OneTime = 101, true
	return a
}

// routed reports that all of the public topic is in the journal.
func (r *harness) routed() bool {
	for p, s := range r.node.routing.List() {
		if end, _ := r.source.End(context.Background(), p); s.Next.Load() < end {
			return false
		}
	}
	return len(r.node.routing.List()) == 2
}

// atEnds reports that all shards but one have applied their journal.
func (r *harness) atEnds(but int) bool {
	for i, s := range r.node.running {
		if end, _ := r.journal.End(context.Background(), i); i != but && s.Applied.Load() < end {
			return false
		}
	}
	return true
}

// fullDisk is a store whose disk is full while it is set: its shard applies nothing.
type fullDisk struct {
	shard.Store
	full *atomic.Bool
}

func (s fullDisk) Headroom() error {
	if s.full.Load() {
		return errors.New("the disk is nearly full")
	}
	return s.Store.Headroom()
}

// hookedStore is a store whose hooks, which may be nil, are called first.
type hookedStore struct {
	shard.Store
	commit func(domain.ShardState)
	member func() error // of a member that the shard reads
	asked  func() error // of a member that a question reads
	show   func()       // of a view
}

func (s hookedStore) Commit(state domain.ShardState, origins []domain.Origin) error {
	if s.commit != nil {
		s.commit(state)
	}
	return s.Store.Commit(state, origins)
}

func (s hookedStore) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	if s.member != nil {
		if err := s.member(); err != nil {
			return nil, err
		}
	}
	return s.Store.Member(account, ord)
}

func (s hookedStore) Snapshot() view.Snapshot {
	if s.show != nil {
		s.show()
	}
	return hookedSnapshot{s.Store.Snapshot(), s.asked}
}

type hookedSnapshot struct {
	view.Snapshot
	asked func() error
}

func (s hookedSnapshot) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	if s.asked != nil {
		if err := s.asked(); err != nil {
			return nil, err
		}
	}
	return s.Snapshot.Member(account, ord)
}

func (s hookedSnapshot) Members(account domain.AccountID, ords []domain.Ordinal, f func(*domain.Member)) error {
	if s.asked != nil {
		if err := s.asked(); err != nil {
			return err
		}
	}
	return s.Snapshot.Members(account, ords, f)
}
