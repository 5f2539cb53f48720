package actors

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/journal"
	"github.com/ovation-analytics/ovation/actors/router"
)

// memLog is a log in memory: what Kafka promises, without its bytes.
type memLog struct {
	id    domain.TopicID
	mu    sync.Mutex
	parts [][]domain.Record
	page  int64        // records that one has at most
	moved int64        // from here on records are of leaders after a cut; 0: there was none
	cut   func() int64 // instead of page, of each page again
	clock int64
	burst int           // records that have one time; 0: each its own
	since int           // records of this time
	held  int           // 1 + the partition of which nothing new is read; 0: none
	more  chan struct{} // closed and made again at every append
}

func newMemLog(id byte, partitions int) *memLog {
	return &memLog{id: domain.TopicID{id}, parts: make([][]domain.Record, partitions), page: 300, clock: 1_700_000_000_000, more: make(chan struct{})}
}

// now is the time of the last record.
func (l *memLog) now() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.clock
}

// hold has nothing new of a partition be read, until it is called with -1.
func (l *memLog) hold(p int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = p + 1
}

func (l *memLog) Topic() domain.TopicID       { return l.id }
func (l *memLog) Cluster() string             { return "mem" }
func (l *memLog) Partitions() int             { return len(l.parts) }
func (l *memLog) Appender() journal.Appender  { return l }
func (l *memLog) Reader(p int) journal.Reader { return memReader{l, p} }

func (l *memLog) End(_ context.Context, p int) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.parts[p])), nil
}

func (l *memLog) Append(_ context.Context, p int, records []domain.Record) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	base := int64(len(l.parts[p]))
	for i, r := range records {
		if l.since++; l.since >= l.burst {
			l.clock, l.since = l.clock+1, 0
		}
		r.Offset, r.Time = base+int64(i), l.clock
		if r.Kind == domain.KindForeign {
			r.Origin = domain.Origin{Topic: l.id, Partition: int32(p), Epoch: l.epochOf(r.Offset), Offset: r.Offset}
		}
		l.parts[p] = append(l.parts[p], r)
	}
	close(l.more)
	l.more = make(chan struct{})
	return base, nil
}

// appendEach appends one batch after the other.
func appendEach(ctx context.Context, to journal.Appender, batches [][]domain.Record, done func(int, int64)) {
	for p, records := range batches {
		if len(records) == 0 {
			continue
		}
		if base, err := to.Append(ctx, p, records); err == nil {
			done(p, base)
		}
	}
}

// AppendEach appends about every other batch: the others are left to Append.
func (l *memLog) AppendEach(ctx context.Context, batches [][]domain.Record, done func(int, int64)) {
	for p, records := range batches {
		if len(records) > 0 && (p+len(records))%2 == 0 {
			base, _ := l.Append(ctx, p, records)
			done(p, base)
		}
	}
}

type memReader struct {
	l *memLog
	p int
}

// epochOf is the leader epoch of a record: the leader moves every 100 records, and where the
// log was cut.
func (l *memLog) epochOf(offset int64) int32 {
	if l.moved > 0 && offset >= l.moved {
		return 1000 + int32(offset/100)
	}
	return int32(offset / 100)
}

// Read detects, as Kafka does, a log that ended the given epoch below next.
func (r memReader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if next > 0 && epoch >= 0 && epoch < r.l.epochOf(next-1) {
		return domain.Page{}, &domain.GapError{Kind: domain.GapDiverged, TopicID: r.l.id, Partition: r.p, Want: next, Detail: fmt.Sprint("read in epoch ", epoch)}
	}
	for i := range spare { // who kept a record of the page would see this
		spare[i] = domain.Record{Offset: -1, Kind: 255, Account: 99999, Activity: domain.Activity{Member: 1, Hash: 1, Time: 1}}
	}
	for waited := false; ; waited = true {
		r.l.mu.Lock()
		part, more, maxRecords := r.l.parts[r.p], r.l.more, r.l.page
		if r.l.cut != nil {
			maxRecords = r.l.cut()
		}
		if r.l.held == r.p+1 {
			part = part[:next]
		}
		r.l.mu.Unlock()
		end := int64(len(part))
		if next < end || waited {
			to := min(next+maxRecords, end)
			page := domain.Page{Records: append(spare[:0], part[next:to]...), Next: to, Epoch: r.l.epochOf(to - 1), End: end}
			for i := range page.Records {
				page.Records[i].Epoch = r.l.epochOf(page.Records[i].Offset)
			}
			return page, nil
		}
		t := time.NewTimer(20 * time.Millisecond)
		select {
		case <-more:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return domain.Page{}, ctx.Err()
		}
		t.Stop()
	}
}

// memSource is a public topic of records that are decoded already.
type memSource struct {
	*memLog
	mu   sync.Mutex
	kept map[int]domain.Routed
}

func newMemSource() *memSource {
	return &memSource{memLog: newMemLog(3, 2), kept: map[int]domain.Routed{}}
}

func (s *memSource) Partitions(context.Context) (int, error) { return len(s.parts), nil }

func (s *memSource) Committed(_ context.Context, p int) (int64, int32, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.kept[p]
	return at.Next, 0, ok, nil
}

func (s *memSource) Commit(_ context.Context, p int, at domain.Routed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[p] = at
	return nil
}

func (s *memSource) Kept(_ context.Context, partitions []int) ([]domain.Routed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return keptOf(s.kept, partitions), nil
}

// keptOf is what a group that has kept this has of partitions.
func keptOf(kept map[int]domain.Routed, partitions []int) []domain.Routed {
	all := make([]domain.Routed, len(partitions))
	for i, p := range partitions {
		at, ok := kept[p]
		if !ok {
			at.Next = -1
		}
		all[i] = at
	}
	return all
}

func (s *memSource) Reader(p int) router.SourceReader { return memSourceReader{s, p} }

type memSourceReader struct {
	s *memSource
	p int
}

func (r memSourceReader) Read(ctx context.Context, next int64, _ int32, spare []domain.Arrival) (domain.SourcePage, error) {
	pg, err := memReader{r.s.memLog, r.p}.Read(ctx, max(next, 0), -1, nil)
	out := domain.SourcePage{Next: pg.Next, Epoch: pg.Epoch, End: pg.End}
	for _, rec := range pg.Records {
		rec.Origin = domain.Origin{Topic: r.s.id, Partition: int32(r.p), Offset: rec.Offset}
		slot := rec.Activity.Identity.Slot()
		switch {
		case rec.Activity.Member != 0:
			slot = rec.Activity.Member.Slot()
		case rec.Activity.Identity.IsZero():
			slot = domain.Placeless(r.s.id, int32(r.p))
		}
		out.Arrivals = append(out.Arrivals, domain.Arrival{Record: rec, Slot: slot})
	}
	return out, err
}

// letters keeps what is published as dead letters.
type letters struct {
	mu  sync.Mutex
	all []domain.DeadLetter
}

func (l *letters) Publish(_ context.Context, letters []domain.DeadLetter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, letters...)
	return nil
}

// deletedKeys are data keys that were deleted, each as often as it was.
type deletedKeys struct {
	mu  sync.Mutex
	ids map[domain.KeyID]int
}

func (d *deletedKeys) Delete(_ context.Context, ids []domain.KeyID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ids == nil {
		d.ids = map[domain.KeyID]int{}
	}
	for _, id := range ids {
		d.ids[id]++
	}
	return nil
}

func (l *letters) reasons() map[domain.Reason]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[domain.Reason]int{}
	seen := map[domain.Origin]bool{}
	for _, d := range l.all {
		if !seen[d.Origin] {
			seen[d.Origin] = true
			out[d.Reason]++
		}
	}
	return out
}
