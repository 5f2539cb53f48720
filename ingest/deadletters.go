package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/codec"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// DeadLetters publishes dead letters. Any goroutine may call it: all shards of a node
// share it.
type DeadLetters struct {
	source *Source
	logs   []*Log
	turn   chan *kafka.Producer // holds the producer while no batch is sent
}

// NewDeadLetters publishes to partition 0 of the topic named, with originals from source,
// and those of foreign records from logs.
func NewDeadLetters(client *kafka.Client, topic string, source *Source, logs ...*Log) (*DeadLetters, error) {
	p, err := client.Producer(kafka.ProducerConfig{Topic: topic, Codec: kafka.LZ4, MaxBytes: kafka.MaxJournalBytes})
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	d := &DeadLetters{source: source, logs: logs, turn: make(chan *kafka.Producer, 1)}
	d.turn <- p
	return d, nil
}

// Publish returns when all letters are durable, in their order, each at least once; it
// repeats what may pass until ctx ends. An original that the broker refuses for good is
// left out. After an error publish the same letters again.
func (d *DeadLetters) Publish(ctx context.Context, letters []domain.DeadLetter) error {
	messages := make([]kafka.Message, 0, len(letters))
	o := originals{source: d.source, logs: d.logs, pages: map[origins]*kafka.Page{}}
	from, size := 0, 0
	for i := range letters {
		m, err := o.letter(ctx, &letters[i])
		if err != nil {
			return fmt.Errorf("read the original of a dead letter: %w", err)
		}
		if n := m.Size(); size > 0 && size+n > MaxOriginal {
			if err := d.sendAll(ctx, letters[from:i], messages); err != nil {
				return err
			}
			messages, from, size = messages[:0], i, 0
		}
		messages, size = append(messages, m), size+m.Size()
	}
	return d.sendAll(ctx, letters[from:], messages)
}

// sendAll appends the messages of letters as one batch. What the broker refuses for good is
// sent one by one, and without the original where that is what it refuses.
func (d *DeadLetters) sendAll(ctx context.Context, letters []domain.DeadLetter, messages []kafka.Message) error {
	if len(messages) == 0 {
		return nil
	}
	err := d.send(ctx, messages)
	if !final(ctx, err) {
		return err
	}
	for i := range messages {
		err := d.send(ctx, messages[i:i+1])
		if final(ctx, err) {
			err = d.send(ctx, []kafka.Message{letterWithout(&letters[i], nil, notPublishable)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// final reports that the same batch is refused whenever it is sent.
func final(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !kafka.Retriable(err) && !errors.Is(err, kafka.ErrClosed)
}

// send appends a batch; a letter that is in the topic twice has one id.
func (d *DeadLetters) send(ctx context.Context, batch []kafka.Message) error {
	var p *kafka.Producer
	select {
	case p = <-d.turn:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.turn <- p }()
	_, err := p.SendAtLeastOnce(ctx, batch)
	return err
}

// originals reads what is at letters' origins. Letters of one partition are close
// together: the last page of each is kept.
type originals struct {
	source *Source
	logs   []*Log
	pages  map[origins]*kafka.Page
	kept   int // bytes of pages, at least
}

// origins is a partition in which originals are.
type origins struct {
	topic     domain.TopicID
	partition int32
}

// topic is the name of a topic that originals are in; empty: of no such topic, or of one
// that is no more.
func (o *originals) topic(id domain.TopicID) string {
	if id == o.source.Topic() {
		return o.source.topic
	}
	for _, l := range o.logs {
		if l.id == id {
			return l.topic
		}
	}
	return ""
}

// originBytes is how much is read at an origin.
const originBytes = 64 << 10

// letter is the message of a letter. An original that is left out for its size is never
// taken apart. Errors may pass, but not before ctx ends.
func (o *originals) letter(ctx context.Context, d *domain.DeadLetter) (kafka.Message, error) {
	r, err := o.find(ctx, d)
	switch {
	case err != nil:
		return kafka.Message{}, err
	case r == nil:
		return NewDeadLetter(d, nil), nil
	case d.Origin.Topic != o.source.Topic() && codec.IsRecord(r.Value):
		return letterWithout(d, nil, ownRecord), nil
	case r.Size() > MaxOriginal:
		return letterWithout(d, nil, overMaxOriginal), nil
	case r.HeaderCount() > MaxOriginalHeaders:
		return letterWithout(d, nil, overMaxHeaders), nil
	}
	m := r.Message()
	return NewDeadLetter(d, &m), nil
}

// find is the record at a letter's origin; nil if the letter has none there, or it is
// no longer to be had.
func (o *originals) find(ctx context.Context, d *domain.DeadLetter) (*kafka.Record, error) {
	at := d.Origin
	topic, in := o.topic(at.Topic), origins{at.Topic, at.Partition}
	if topic == "" || at.Partition < 0 || at.Offset < 0 || withheld(d.Reason) {
		return nil, nil
	}
	if r := pick(o.pages[in], at); r != nil {
		return r, nil
	}
	f, err := o.source.client.Fetcher(kafka.FetchConfig{
		Topic: topic, ID: at.Topic, Partition: int(at.Partition), MaxBytes: originBytes,
	})
	if err != nil {
		return nil, err
	}
	var page *kafka.Page
	err = kafka.Persist(ctx, func() (err error) {
		page, err = f.Fetch(ctx, at.Offset, kafka.NoEpoch)
		return err
	})
	var (
		gap     *domain.GapError
		corrupt *domain.CorruptError
	)
	switch {
	case errors.As(err, &gap), errors.As(err, &corrupt):
		return nil, nil
	case err != nil:
		return nil, err
	}
	o.keep(in, page)
	return pick(page, at), nil
}

// maxKept bounds the memory of the pages that are kept, but for the last one: a page of a
// few bytes may unpack to many MiB.
const maxKept = 4 << 20

// keep keeps a page, and no other if they are large.
func (o *originals) keep(in origins, page *kafka.Page) {
	delete(o.pages, in)
	o.kept += cap(page.Arena) + page.Bytes
	if o.kept > maxKept {
		clear(o.pages)
		o.kept = cap(page.Arena) + page.Bytes
	}
	o.pages[in] = page
}

// pick is the record of an origin: of that offset, and of that leader epoch. Another
// epoch is another record, in a log that was cut and grew again.
func pick(page *kafka.Page, at domain.Origin) *kafka.Record {
	if page == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(page.Records, at.Offset, func(r kafka.Record, offset int64) int {
		switch {
		case r.Offset < offset:
			return -1
		case r.Offset > offset:
			return 1
		}
		return 0
	})
	if !found || page.Records[i].LeaderEpoch != at.Epoch {
		return nil
	}
	return &page.Records[i]
}
