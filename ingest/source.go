package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Source is the public topic, as the router reads it. Any goroutine may call it.
type Source struct {
	client *kafka.Client
	topic  string
	group  string
	hasher *activity.Hasher
	stats  *activity.Stats
	pages  PageSize

	mu   sync.Mutex // guards what follows: a topic may be deleted and made again
	id   domain.TopicID
	read map[int]domain.TopicID // of partitions, where it is not id
}

// SourceConfig says what to read, and for which journal.
type SourceConfig struct {
	Topic   string
	Journal domain.TopicID // offsets are kept for it: another journal starts at the beginning
	Hasher  *activity.Hasher
	Stats   *activity.Stats
	Pages   PageSize // of readers
}

// RouterGroups begins the names of the groups whose offsets say where the routers of a journal read on.
const RouterGroups = "router-"

// OpenSource finds the public topic. It asks again, also for one that does not
// exist, until ctx ends.
func OpenSource(ctx context.Context, client *kafka.Client, cfg SourceConfig) (*Source, error) {
	_, t, err := findTopic(ctx, client, cfg.Topic)
	if err != nil {
		return nil, fmt.Errorf("open source: %w", err)
	}
	return &Source{
		client: client, topic: cfg.Topic, id: t.ID, group: RouterGroups + cfg.Journal.String(),
		hasher: cfg.Hasher, stats: cfg.Stats, pages: cfg.Pages, read: map[int]domain.TopicID{},
	}, nil
}

// Topic is the topic's id, as found when the source was opened or when Committed last
// asked.
func (s *Source) Topic() domain.TopicID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// adopt notes the topic that is there now: from here on this partition is read of it,
// the others of the one that they were read of.
func (s *Source) adopt(partition, partitions int, id domain.TopicID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != id {
		for p := range partitions {
			if _, ok := s.read[p]; !ok {
				s.read[p] = s.id
			}
		}
		s.id = id
	}
	delete(s.read, partition)
}

// of is the topic that a partition is read of.
func (s *Source) of(partition int) domain.TopicID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.read[partition]; ok {
		return id
	}
	return s.id
}

// Partitions asks the broker for the number of partitions, once. A topic of another id
// is a *domain.GapError, beside the number that this one has.
func (s *Source) Partitions(ctx context.Context) (int, error) {
	t, err := s.client.Topic(ctx, s.topic)
	if err != nil {
		return 0, err
	}
	if id := s.Topic(); t.ID != id {
		return t.Partitions, &domain.GapError{
			Kind: domain.GapRecreated, Topic: s.topic, TopicID: t.ID, Detail: "was " + id.String(),
		}
	}
	return t.Partitions, nil
}

// End is the offset after a partition's last record that can be read. It asks once.
func (s *Source) End(ctx context.Context, partition int) (int64, error) {
	return s.client.End(ctx, s.topic, partition)
}

// Committed is where the router left a partition; ok is false when nothing is kept, or
// something that the router did not write: then the journal knows. An offset of a topic
// of another id is a *domain.GapError. The topic is looked up again: it is what the
// partition's next Reader reads, and Topic says. It asks once.
func (s *Source) Committed(ctx context.Context, partition int) (next int64, epoch int32, ok bool, err error) {
	t, err := s.client.Topic(ctx, s.topic)
	if err != nil {
		return 0, 0, false, err
	}
	s.adopt(partition, max(t.Partitions, partition+1), t.ID)
	kept, err := s.client.CommittedOffsets(ctx, s.group, s.topic, []int{partition})
	if err != nil {
		return 0, 0, false, err
	}
	at := routed(&kept[0])
	switch {
	case at.Next < 0:
		return 0, 0, false, nil
	case at.Topic != t.ID:
		return 0, 0, false, &domain.GapError{
			Kind: domain.GapRecreated, Topic: s.topic, TopicID: t.ID, Partition: partition, Want: at.Next, Detail: "was " + at.Topic.String(),
		}
	}
	return at.Next, at.Epoch, true, nil
}

// Commit keeps where to read on, of which topic, and who says so. It asks once.
func (s *Source) Commit(ctx context.Context, partition int, at domain.Routed) error {
	return s.client.CommitOffsets(ctx, s.group, s.topic, []kafka.GroupOffset{
		{Partition: partition, Next: at.Next, Epoch: at.Epoch, Metadata: mark(&at)},
	})
}

// Kept is what is kept of partitions now, one for each in that order, whatever topic it is of. It asks once.
func (s *Source) Kept(ctx context.Context, partitions []int) ([]domain.Routed, error) {
	kept, err := s.client.CommittedOffsets(ctx, s.group, s.topic, partitions)
	if err != nil {
		return nil, err
	}
	all := make([]domain.Routed, len(kept))
	for i := range all {
		all[i] = routed(&kept[i])
	}
	return all, nil
}

// markVersion begins the metadata of a group offset.
const markVersion = "3"

// mark is the metadata of a group offset: which topic it is of, the leader epoch of the batch before it,
// which node routes, and whether that node has ended.
func mark(at *domain.Routed) string {
	return strings.Join([]string{
		markVersion, at.Topic.String(), strconv.Itoa(int(at.Epoch)), at.Node.String(), strconv.FormatUint(at.Counter, 10),
		strconv.FormatBool(at.Ended),
	}, " ")
}

// routed is what a group offset says; a Next below zero: nothing is kept, or something that no router wrote.
func routed(o *kafka.GroupOffset) domain.Routed {
	none := domain.Routed{Next: -1}
	parts := strings.Split(o.Metadata, " ")
	if o.Next < 0 || len(parts) != 6 || parts[0] != markVersion {
		return none
	}
	topic, err := domain.ParseTopicID(parts[1])
	epoch, epochErr := strconv.ParseInt(parts[2], 10, 32)
	node, nodeErr := domain.ParseNodeID(parts[3])
	counter, counterErr := strconv.ParseUint(parts[4], 10, 64)
	ended, endedErr := strconv.ParseBool(parts[5])
	if errors.Join(err, epochErr, nodeErr, counterErr, endedErr) != nil {
		return none
	}
	return domain.Routed{Next: o.Next, Epoch: int32(epoch), Topic: topic, Node: node, Counter: counter, Ended: ended}
}

// Reader reads and decodes one partition.
func (s *Source) Reader(partition int) *SourceReader {
	id := s.of(partition)
	pages, err := newPager(s.client, s.topic, id, partition, s.pages)
	r := &SourceReader{
		topic: id, partition: int32(partition), pages: pages, err: err, decoder: activity.NewDecoder(s.hasher, s.stats),
	}
	r.headers = r.eachHeader
	return r
}

// SourceReader reads one partition of the public topic. One goroutine at a time.
type SourceReader struct {
	topic     domain.TopicID
	partition int32
	pages     pager
	decoder   *activity.Decoder
	err       error // the partition cannot be read at all

	record  *kafka.Record // being decoded
	headers func(yield func(key, value []byte))
}

// Read gives what is at and after next, whose batch before had the epoch given; with
// a next below zero what is at the log's start. It waits a short while for a
// record; an empty page is no error. A batch that cannot be read is a page of one
// arrival, refused as corrupt: what comes before it is given first. A gap is a
// *domain.GapError. Other errors may pass; it asks once. The page is in the memory
// of spare if that has room, its strings in SourcePage.Memory.
func (r *SourceReader) Read(
	ctx context.Context, next int64, epoch int32, spare []domain.Arrival,
) (domain.SourcePage, error) {
	if r.err != nil {
		return domain.SourcePage{}, r.err
	}
	if next <= 0 {
		epoch = kafka.NoEpoch // nothing comes before it
	}
	in, err := r.pages.read(ctx, place{next, epoch})
	var corrupt *domain.CorruptError
	if errors.As(err, &corrupt) {
		return r.lost(corrupt), nil
	}
	if err != nil {
		return domain.SourcePage{}, err
	}
	page := domain.SourcePage{
		Arrivals: room(spare, len(in.records)), Next: in.next.next, Epoch: in.next.epoch, End: in.end, Memory: in.memory,
	}
	for i := range in.records {
		if i%yieldEvery == yieldEvery-1 {
			runtime.Gosched()
		}
		r.record = &in.records[i]
		page.Arrivals[i].Slot = r.decoder.Decode(&page.Arrivals[i].Record, activity.Incoming{
			Topic: r.topic, Partition: r.partition, Epoch: r.record.LeaderEpoch, Offset: r.record.Offset,
			TimeMs: r.record.TimeMs, Key: r.record.Key, Value: r.record.Value, Headers: r.headers,
		})
	}
	r.record = nil
	return page, nil
}

// yieldEvery is after how many records, some 100 µs, decoding a page yields: a question would
// wait for all of it.
const yieldEvery = 32

// lost is the page instead of a stretch that cannot be read: one record, at its
// first offset, so that it is known by its origin like any record and above all before.
func (r *SourceReader) lost(c *domain.CorruptError) domain.SourcePage {
	a := domain.Arrival{
		Record: domain.Record{Kind: domain.KindActivity, Origin: domain.Origin{
			Topic: r.topic, Partition: r.partition, Epoch: c.Epoch, Offset: c.Base,
		}},
		Slot: domain.Placeless(r.topic, r.partition),
	}
	a.Record.Activity.Refusal, a.Record.Activity.Detail = domain.Corrupt, c.Detail
	return domain.SourcePage{Arrivals: []domain.Arrival{a}, Next: c.Next, Epoch: c.Epoch, End: c.Next}
}

// eachHeader gives the headers of the record being decoded.
func (r *SourceReader) eachHeader(yield func(key, value []byte)) {
	for k, v := range r.record.Headers() {
		yield(k, v)
	}
}
