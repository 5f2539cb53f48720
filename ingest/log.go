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

// OpenLog finds a topic. It asks again, also for one that does not exist, until
// ctx ends. Batches are written with the compression given.
func OpenLog(ctx context.Context, client *kafka.Client, topic string, compression kafka.Codec) (*Log, error) {
	cluster, t, err := findTopic(ctx, client, topic)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	return &Log{
		client: client, topic: topic, id: t.ID, cluster: cluster, partitions: t.Partitions, compression: compression,
	}, nil
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
	pages, err := newPager(l.client, l.topic, l.id, partition, l.Pages)
	return &Reader{log: l, partition: partition, pages: pages, err: err}
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
// that cannot be read; it wraps domain.ErrNewer or domain.ErrOlder where another binary can. What comes before
// it is given first. Other errors may pass; it asks once. The page is in the memory of
// spare if that has room, its strings in Page.Memory.
func (r *Reader) Read(ctx context.Context, next int64, epoch int32, spare []domain.Record) (domain.Page, error) {
	if r.err != nil {
		return domain.Page{}, r.err
	}
	if next == 0 {
		epoch = kafka.NoEpoch // nothing comes before it
	}
	in, err := r.pages.read(ctx, place{next, epoch})
	var corrupt *domain.CorruptError
	if errors.As(err, &corrupt) {
		return domain.Page{}, r.unreadable(corrupt.Base, corrupt.Next, corrupt)
	}
	if err != nil {
		return domain.Page{}, err
	}
	page := domain.Page{
		Records: room(spare, len(in.records)), Next: in.next.next, Epoch: in.next.epoch, End: in.end, Memory: in.memory,
	}
	for i := range in.records {
		got, out := &in.records[i], &page.Records[i]
		out.Offset, out.Time, out.Epoch = got.Offset, got.TimeMs, got.LeaderEpoch
		err := codec.DecodeRecord(out, got.Value)
		switch {
		case err == nil:
		case errors.Is(err, domain.ErrForeign):
			out.Kind = domain.KindForeign
			out.Origin = domain.Origin{
				Topic: r.log.id, Partition: int32(r.partition), Epoch: got.LeaderEpoch, Offset: got.Offset,
			}
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
