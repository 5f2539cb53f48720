package ingest

import (
	"context"
	"errors"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Log is the journal or the catalog: a topic of records that package codec writes. Any
// goroutine may call it.
type Log struct {
	Pages PageSize // of readers; set before one is made

	client      *kafka.Client
	topic       string
	id          domain.TopicID
	cluster     string
	partitions  int
	compression kafka.Codec
}

// OpenLog finds a topic. It goes on asking, also for one that does not exist, until
// ctx ends. Batches are written with the compression given.
func OpenLog(ctx context.Context, client *kafka.Client, topic string, compression kafka.Codec) (*Log, error) {
	cluster, t, err := findTopic(ctx, client, topic)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return &Log{client: client, topic: topic, id: t.ID, cluster: cluster, partitions: t.Partitions, compression: compression}, nil
}

func findTopic(ctx context.Context, client *kafka.Client, name string) (cluster string, t kafka.Topic, err error) {
	err = kafka.Persist(ctx, func() error {
		c, err := client.Describe(ctx, name)
		if err != nil {
			return err
		}
		var found bool
		if t, found = c.Topic(name); !found {
			// A broker that has not yet heard of a new topic says so too.
			return fmt.Errorf("topic %s: %w", name, kafkago.UnknownTopicOrPartition)
		}
		cluster = c.ID
		return nil
	})
	return cluster, t, err
}

// Topic is the topic's id, as found when the log was opened.
func (l *Log) Topic() domain.TopicID { return l.id }

// Cluster is the Kafka cluster's id.
func (l *Log) Cluster() string { return l.cluster }

// Partitions is the number of partitions, as found when the log was opened.
func (l *Log) Partitions() int { return l.partitions }

// End is the offset after a partition's last record. It asks once.
func (l *Log) End(ctx context.Context, partition int) (int64, error) {
	return l.client.End(ctx, l.topic, partition)
}

// Reader is a reader of one partition.
func (l *Log) Reader(partition int) *Reader {
	size := l.Pages.orDefault()
	f, err := l.client.Fetcher(kafka.FetchConfig{Topic: l.topic, ID: l.id, Partition: partition, MaxBytes: size.Bytes, MaxInflated: size.inflated(), Shared: true})
	return &Reader{log: l, partition: partition, pages: newPager(f, size), err: err}
}

// Reader reads one partition of a log. One goroutine at a time.
type Reader struct {
	log       *Log
	partition int
	pages     pager
	err       error // the partition cannot be read at all
}

// Read gives the records at and after next, whose batch before had the epoch given; it
// waits a short while for one. An empty page is no error. A value of another program is a
// record of KindForeign. A gap is a *domain.GapError, and so is a batch or a record of ours
// that cannot be read; it wraps domain.ErrNewer or domain.ErrOlder where another binary can. What stands before
// it is given first. Other errors may pass; it asks once. The page stands in the memory of
// spare if that has room, its strings in Page.Memory.
func (r *Reader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if r.err != nil {
		return domain.Page{}, r.err
	}
	if next == 0 {
		epoch = kafka.NoEpoch // nothing stands before it
	}
	in, err := r.pages.read(ctx, place{next, epoch})
	var corrupt *domain.CorruptError
	if errors.As(err, &corrupt) {
		return domain.Page{}, r.unreadable(corrupt.Base, corrupt.Next, corrupt)
	}
	if err != nil {
		return domain.Page{}, err
	}
	page := domain.Page{Records: room(spare, len(in.records)), Next: in.next.next, Epoch: in.next.epoch, End: in.end, Memory: in.memory}
	for i := range in.records {
		got, out := &in.records[i], &page.Records[i]
		out.Offset, out.Time, out.Epoch = got.Offset, got.TimeMs, got.LeaderEpoch
		err := codec.DecodeRecord(out, got.Value)
		switch {
		case err == nil:
		case errors.Is(err, domain.ErrForeign):
			out.Kind = domain.KindForeign
			out.Origin = domain.Origin{Topic: r.log.id, Partition: int32(r.partition), Epoch: got.LeaderEpoch, Offset: got.Offset}
		case i == 0:
			return domain.Page{}, r.unreadable(got.Offset, got.Offset+1, err)
		default:
			page.Records, page.Next, page.Epoch = page.Records[:i], got.Offset, in.records[i-1].LeaderEpoch
			return page, nil
		}
	}
	return page, nil
}

// room is spare's memory for n elements, or some of its own.
func room[T any](spare []T, n int) []T {
	if cap(spare) >= n {
		return spare[:n]
	}
	return make([]T, n)
}

func (r *Reader) unreadable(base, next int64, why error) error {
	kind := domain.GapCorrupt
	switch {
	case errors.Is(why, domain.ErrNewer):
		kind = domain.GapNewer
	case errors.Is(why, domain.ErrOlder):
		kind = domain.GapOlder
	}
	return &domain.GapError{
		Kind: kind, Topic: r.log.topic, TopicID: r.log.id, Partition: r.partition,
		Want: base, Start: base, End: next, Detail: why.Error(), Err: why,
	}
}

// Appender is an appender of its own.
func (l *Log) Appender() *Appender {
	return &Appender{log: l, lanes: make([]lane, l.partitions)}
}

// Appender appends to the partitions of a log, in order, with one batch in flight and
// an idempotent session each. One goroutine a partition.
type Appender struct {
	log     *Log
	lanes   []lane
	sending []kafka.Sending // of AppendEach
}

// lane is what one partition's goroutine has.
type lane struct {
	producer *kafka.Producer
	buf      []byte
	messages []kafka.Message
	near     uint64 // of what was read ahead: no read may be left out
}

// Append returns when the records are durable; it repeats what may pass until ctx
// ends. After an error the outcome is unknown: append the same records again, or
// none. What was in doubt may stand in the log twice: readers know repeats by origin
// and by request id.
//
// Record i stands at base+i, or below it if the records took more than one batch or
// the broker forgot where it put them: once base+i is applied, so is the record.
func (a *Appender) Append(ctx context.Context, partition int, records []domain.Record) (base int64, err error) {
	if partition < 0 || partition >= len(a.lanes) {
		return 0, fmt.Errorf("append to %s/%d: there are %d partitions", a.log.topic, partition, len(a.lanes))
	}
	if len(records) == 0 {
		return a.log.End(ctx, partition)
	}
	if err := ctx.Err(); err != nil {
		return 0, err // not begun: nothing is in doubt
	}
	l, err := a.lane(partition)
	if err != nil {
		return 0, err
	}
	l.encode(records)
	end := int64(-1)
	for batch := range kafka.Split(l.messages, kafka.MaxJournalBytes) {
		if end, err = l.send(ctx, batch); err != nil {
			return 0, err
		}
	}
	if end < 0 {
		if end, err = a.end(ctx, partition); err != nil {
			return 0, err
		}
	}
	return end - int64(len(records)), nil
}

// AppendEach appends to several partitions at once, batches[p] to partition p, as Append
// does, but attempts it once: those of one leader go in one request. done is told of each
// that is durable, with its base; of any other Append of the same records goes on with what
// was attempted. One goroutine for all partitions.
func (a *Appender) AppendEach(ctx context.Context, batches [][]domain.Record, done func(partition int, base int64)) {
	if ctx.Err() != nil {
		return // not begun: nothing is in doubt
	}
	a.sending = a.sending[:0]
	for p, records := range batches {
		if len(records) == 0 {
			continue
		}
		l, err := a.lane(p)
		if err != nil {
			continue // Append says why
		}
		l.encode(records)
		for batch := range kafka.Split(l.messages, kafka.MaxJournalBytes) {
			if len(batch) == len(records) {
				a.sending = append(a.sending, kafka.Sending{Producer: l.producer, Messages: batch})
			}
			break
		}
	}
	a.log.client.ProduceEach(ctx, a.sending)
	for i := range a.sending {
		s := &a.sending[i]
		if s.Err == nil {
			a.told(ctx, s, done)
		}
		*s = kafka.Sending{}
	}
}

// told tells of a batch that is durable. Of one that the broker has but forgot where, the
// log's end bounds its place.
func (a *Appender) told(ctx context.Context, s *kafka.Sending, done func(partition int, base int64)) {
	p, n := s.Producer.Partition(), int64(len(s.Messages))
	if s.Base >= 0 {
		done(p, s.Base)
		return
	}
	if end, err := a.end(ctx, p); err == nil {
		done(p, end-n)
	}
}

// end is the log's end, asked for until ctx ends.
func (a *Appender) end(ctx context.Context, partition int) (end int64, err error) {
	err = kafka.Persist(ctx, func() error { end, err = a.log.End(ctx, partition); return err })
	return end, err
}

// lane is what a partition is appended to with.
func (a *Appender) lane(partition int) (*lane, error) {
	l := &a.lanes[partition]
	if l.producer == nil {
		var err error
		l.producer, err = a.log.client.Producer(kafka.ProducerConfig{
			Topic: a.log.topic, Partition: partition, Codec: a.log.compression, MaxBytes: kafka.MaxJournalBytes,
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// encode makes the messages in memory that is used again.
func (l *lane) encode(records []domain.Record) {
	l.messages = l.messages[:0]
	if cap(l.buf) > 4*kafka.MaxJournalBytes {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for i := range records {
		if i%nearAtOnce == 0 {
			l.near += near(records[i:min(i+nearAtOnce, len(records))])
		}
		start := len(l.buf)
		l.buf = codec.AppendRecord(l.buf, &records[i])
		// A buffer that has moved leaves earlier values where they were.
		l.messages = append(l.messages, kafka.Message{Value: l.buf[start:len(l.buf):len(l.buf)]})
	}
}

// nearAtOnce is how many records' strings are brought near the processor together:
// another one has written them, and one by one each would be waited for.
const nearAtOnce = 64

// near reads of the records' strings what stands in a cache line of its own.
func near(records []domain.Record) (seen uint64) {
	for i := range records {
		c := &records[i].Activity.Content
		for _, s := range [...]string{c.Marker, c.Content} {
			if n := len(s); n > 0 {
				seen += uint64(s[0]) + uint64(s[n-1])
			}
		}
	}
	return seen
}

// send appends a batch and gives the offset after it; -1: not known. A session that
// the broker lost is begun anew, and the batch repeated.
func (l *lane) send(ctx context.Context, batch []kafka.Message) (end int64, err error) {
	for {
		base, err := l.producer.Send(ctx, batch)
		switch {
		case errors.Is(err, kafka.ErrIdempotenceLost) && ctx.Err() == nil:
		case err != nil:
			return -1, err
		case base < 0:
			return -1, nil
		default:
			return base + int64(len(batch)), nil
		}
	}
}
