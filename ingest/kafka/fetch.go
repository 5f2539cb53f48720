package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// NoEpoch is the epoch to fetch with when none is known: nothing was read yet.
const NoEpoch int32 = -1

// FetchConfig names a partition and says how much of it to take at once.
type FetchConfig struct {
	Topic     string
	ID        domain.TopicID // another topic of this name is refused
	Partition int

	MaxBytes int           // of a page, as it comes; one batch is given even if larger. 1 MiB
	MinBytes int           // to wait for. 1
	MaxWait  time.Duration // how long for. 500 ms
	Shared   bool          // small pages may come in one answer with those of other fetchers of the client

	// MaxInflated is what a page may unpack to: it ends after the batch with which it has
	// grown beyond, since a fetch of 1 MiB may claim to hold terabytes. 32 MiB
	MaxInflated int
}

// Fetcher reads one partition. One goroutine at a time; it may be replaced at any
// time, its caller has all its state.
type Fetcher struct {
	client *Client
	cfg    FetchConfig

	leader atomic.Int32 // 1 + the broker that leads the partition, as a request found it; 0: not known
	large  bool         // the last page was
	ratio  float64      // of uncompressed to compressed bytes, lately
	spare  []Record
	arena  []byte

	suspected domain.GapKind
	seen      int
}

// Fetcher gives a reader of the partition.
func (c *Client) Fetcher(cfg FetchConfig) (*Fetcher, error) {
	if cfg.Topic == "" || cfg.ID.IsZero() || cfg.Partition < 0 {
		return nil, fmt.Errorf("kafka: a fetcher needs a topic, its id and a partition: %q, %s, %d",
			cfg.Topic, cfg.ID, cfg.Partition)
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = 1 << 20
	}
	cfg.MaxBytes = min(cfg.MaxBytes, 64<<20)
	cfg.MinBytes = max(cfg.MinBytes, 1)
	cfg.MaxWait = orDefault(cfg.MaxWait, 500*time.Millisecond)
	return &Fetcher{client: c, cfg: cfg, ratio: 4}, nil
}

// Reuse gives the memory of these records to the next page, and an arena whose records were
// released to what it uncompresses.
func (f *Fetcher) Reuse(records []Record, arena []byte) { f.spare, f.arena = records, arena }

// Fetch gives the records at and after next. Epoch is the leader epoch of the batch
// before next, NoEpoch if there was none: with it the broker notices that what was
// read is no longer in the log. A next below zero is the log's start.
//
// It waits up to MaxWait when there is nothing yet; an empty page is no error, and
// a page may pass over offsets without showing a record. Errors are *domain.GapError,
// *domain.CorruptError, and those that Retriable knows: at once, so that the caller can
// count and wait.
func (f *Fetcher) Fetch(ctx context.Context, next int64, epoch int32) (*Page, error) {
	fromStart := next < 0
	if fromStart {
		start, err := f.client.listOffset(ctx, f.cfg.Topic, f.cfg.Partition, earliest, false)
		if err != nil {
			return nil, f.failed(f.named(ctx, next, err))
		}
		next, epoch = start, NoEpoch
	}
	page, err := f.fetch(ctx, next, epoch, f.cfg.MaxBytes)
	var corrupt *domain.CorruptError
	if errors.As(err, &corrupt) {
		// Bytes may have been damaged on their way, and with more of them the batch
		// after, which says where to continue, is seen.
		page, err = f.fetch(ctx, next, epoch, 2*f.cfg.MaxBytes+(1<<20))
	}
	var gap *domain.GapError
	if fromStart && errors.As(err, &gap) && gap.Kind == domain.GapRetention {
		err = &passing{why: "the log's start has moved"}
	}
	if err != nil {
		return nil, f.failed(err)
	}
	f.suspected, f.seen = 0, 0
	s := &f.client.stats
	s.fetches.Add(1)
	s.fetchedBytes.Add(uint64(page.Bytes))
	s.records.Add(uint64(len(page.Records)))
	return page, nil
}

// failed counts an error and says where it happened, if it does not itself.
func (f *Fetcher) failed(err error) error {
	var (
		gap     *domain.GapError
		corrupt *domain.CorruptError
	)
	switch {
	case errors.As(err, &gap):
		return gap
	case errors.As(err, &corrupt):
		f.client.stats.corrupt.Add(1)
		return corrupt
	case Retriable(err):
		f.client.stats.retries.Add(1)
	}
	return fmt.Errorf("fetch %s/%d: %w", f.cfg.Topic, f.cfg.Partition, err)
}

// answerRoom is what a fetch's answer may take beyond MaxBytes: one batch, however
// large the topic allows it, and the answer's own fields.
const answerRoom = 64 << 20

func (f *Fetcher) fetch(ctx context.Context, next int64, epoch int32, maxBytes int) (*Page, error) {
	d := f.ask(ctx, &pendingFetch{cfg: &f.cfg, next: next, epoch: epoch, maxBytes: maxBytes})
	if d.err != nil {
		return nil, f.named(ctx, next, d.err)
	}
	p := d.part
	switch code := kafkago.Error(p.ErrorCode); code {
	case 0:
	case kafkago.OffsetOutOfRange:
		return nil, f.outOfRange(ctx, next, epoch)
	default:
		f.leader.Store(0)
		return nil, f.named(ctx, next, code)
	}
	if e := p.DivergingEpoch; e.EndOffset >= 0 {
		return nil, f.gap(domain.GapDiverged, next, p.LogStartOffset, e.EndOffset,
			fmt.Sprintf("read in epoch %d, of which the log has nothing behind its epoch %d", epoch, e.Epoch))
	}
	if next < p.LogStartOffset {
		return nil, f.gap(domain.GapRetention, next, p.LogStartOffset, p.HighWatermark, "")
	}
	page, shared, err := f.page(ctx, p, next, epoch)
	if err == nil && !shared {
		d.memory.release()
	}
	f.large = len(p.RecordBatches) >= largePage
	if err != nil {
		return nil, f.named(ctx, next, err)
	}
	return page, nil
}

// largePage is the bytes of a page that is worth a request of its own.
const largePage = 64 << 10

// ask asks the partition's leader, in a shared request if that is wanted and the leader is
// known. What failed there is asked alone: the fault may be another partition's.
func (f *Fetcher) ask(ctx context.Context, w *pendingFetch) fetchResult {
	if leader := f.leader.Load() - 1; f.cfg.Shared && leader >= 0 && !f.large {
		d := f.client.shared.ask(ctx, leader, w)
		if d.err != nil {
			f.leader.Store(0)
		}
		return d
	}
	m := newFetch()
	m.MinBytes, m.MaxWaitMillis = int32(f.cfg.MinBytes), int32(f.cfg.MaxWait.Milliseconds())
	t := topicIn(m, w.cfg)
	t.Partitions = append(t.Partitions, w.partition())
	x, err := f.client.exchange(ctx, request{
		message: m, route: f.client.leaderInto(f.cfg.Topic, f.cfg.Partition, &f.leader), over: f.client.fetching,
		within: f.cfg.MaxWait + f.client.cfg.RequestTimeout, limit: w.maxBytes + answerRoom,
	})
	if err != nil {
		return fetchResult{err: err}
	}
	d := w.of(x.answer.(*kmsg.FetchResponse))
	d.memory = &sharedAnswer{x: x}
	d.memory.readers.Store(1)
	return d
}

// errorOf is an error of all of an answer.
func errorOf(a *kmsg.FetchResponse) error {
	if a.ErrorCode != 0 {
		return kafkago.Error(a.ErrorCode)
	}
	return nil
}

// newFetch is a fetch of nothing yet.
func newFetch() *kmsg.FetchRequest {
	m := kmsg.NewPtrFetchRequest()
	m.ReplicaID, m.SessionEpoch = -1, -1 // a consumer, without a session
	m.IsolationLevel = readCommitted
	m.MinBytes = 1
	m.MaxBytes = 1 << 30 // the partitions' limits count
	return m
}

// page reads what came; shared says that its records refer to p.
func (f *Fetcher) page(
	ctx context.Context, p *kmsg.FetchResponseTopicPartition, next int64, epoch int32,
) (_ *Page, shared bool, _ error) {
	page := &Page{
		Next: next, Epoch: epoch,
		Start: p.LogStartOffset, Stable: p.LastStableOffset, High: p.HighWatermark,
		Bytes: len(p.RecordBatches), Records: f.spare[:0], maxInflated: f.cfg.MaxInflated,
	}
	if page.Bytes == 0 {
		f.spare, f.arena = nil, nil
		return page, false, nil
	}
	page.Arena = f.arena
	f.spare, f.arena = nil, nil
	d := newDecoder(page, p.AbortedTransactions, p.RecordBatches, f.ratio,
		func(offset int64, known, claimed int32) (int32, error) {
			return f.epochOf(ctx, offset, known, claimed)
		})
	if err := d.decode(p.RecordBatches); err != nil {
		return nil, true, err
	}
	if d.packed > 0 {
		f.ratio = 1.1 * float64(d.inflated) / float64(d.packed)
	}
	return page, d.shared, nil
}
