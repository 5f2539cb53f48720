package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// KeyLog is the topic of data keys: one partition, compacted, by key id the wrapped key. Any
// goroutine may call it, one at a time Read.
type KeyLog struct {
	client  *kafka.Client
	topic   string
	id      domain.TopicID
	fetcher *kafka.Fetcher
	turn    chan *kafka.Producer // holds the producer while no batch is sent
}

// OpenKeyLog finds the topic. It asks again, also for one that does not exist, until ctx ends.
func OpenKeyLog(ctx context.Context, client *kafka.Client, topic string) (*KeyLog, error) {
	_, t, err := findTopic(ctx, client, topic)
	if err != nil {
		return nil, fmt.Errorf("open the data keys: %w", err)
	}
	l := &KeyLog{client: client, topic: topic, id: t.ID, turn: make(chan *kafka.Producer, 1)}
	if l.fetcher, err = client.Fetcher(kafka.FetchConfig{Topic: topic, ID: t.ID}); err != nil {
		return nil, err
	}
	p, err := client.Producer(kafka.ProducerConfig{Topic: topic, Codec: kafka.None}) // random bytes do not compress
	if err != nil {
		return nil, err
	}
	l.turn <- p
	return l, nil
}

// Topic is the topic's id, as found when the log was opened.
func (l *KeyLog) Topic() domain.TopicID { return l.id }

// End is the offset after the last key. It asks once.
func (l *KeyLog) End(ctx context.Context) (int64, error) { return l.client.End(ctx, l.topic, 0) }

// Append appends keys as one batch, and gives the offset after them when all replicas in sync
// have it; below zero: the broker has forgotten where. It repeats what may pass until ctx ends;
// a batch may then be there twice, which changes nothing.
func (l *KeyLog) Append(ctx context.Context, keys []domain.WrappedKey) (next int64, err error) {
	messages := make([]kafka.Message, len(keys))
	for i := range keys {
		messages[i] = kafka.Message{Key: bytes.Clone(keys[i].ID[:]), Value: keys[i].Wrapped}
	}
	var p *kafka.Producer
	select {
	case p = <-l.turn:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { l.turn <- p }()
	base, err := p.SendAtLeastOnce(ctx, messages)
	if err != nil || base < 0 {
		return -1, err
	}
	return base + int64(len(keys)), nil
}

// Read gives the keys at and after next, whose batch before had the epoch given; it waits a
// short while for one. A next below zero is the log's start. A gap, and a batch that cannot be
// read, is a *domain.GapError; holes that compaction leaves are none. Other errors may pass.
func (l *KeyLog) Read(ctx context.Context, next int64, epoch int32) (domain.KeyPage, error) {
	in, err := l.fetcher.Fetch(ctx, next, epoch)
	var corrupt *domain.CorruptError
	if errors.As(err, &corrupt) {
		return domain.KeyPage{}, &domain.GapError{
			Kind: domain.GapCorrupt, Topic: l.topic, TopicID: l.id,
			Want: corrupt.Base, Start: corrupt.Base, End: corrupt.Next, Detail: corrupt.Error(), Err: corrupt,
		}
	}
	if err != nil {
		return domain.KeyPage{}, err
	}
	page := domain.KeyPage{Next: in.Next, Epoch: in.Epoch, End: in.Stable}
	for i := range in.Records {
		r := &in.Records[i]
		if len(r.Key) != len(domain.KeyID{}) || r.Value != nil && len(r.Value) == 0 {
			page.Foreign++
			continue
		}
		page.Keys = append(page.Keys, domain.WrappedKey{ID: domain.KeyID(r.Key), Wrapped: bytes.Clone(r.Value)})
	}
	return page, nil
}
