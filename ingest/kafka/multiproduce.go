package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Sending is a batch of one producer among others.
type Sending struct {
	Producer *Producer
	Messages []Message

	Base int64 // of the first message, as Send gives it
	Err  error // why the batch is not known to be in the log: Send of the same messages settles it

	batch  []byte
	leader int32
}

// errAlone is the error of a batch that ProduceEach does not try: its producer has no session
// yet, or the outcome of its last batch is open.
var errAlone = errors.New("kafka: to be sent alone")

// ProduceEach appends batches of different producers of this client, to different partitions,
// once: those of one leader in one request, since a request takes the client and the
// broker longer than a small batch in it. It returns when all are answered. Nothing is
// repeated: Send does that, for each that has an Err.
//
// One goroutine for all of these producers.
func (c *Client) ProduceEach(ctx context.Context, all []Sending) {
	for i := range all {
		s := &all[i]
		s.Base, s.Err, s.batch = 0, errAlone, nil
		p := s.Producer
		if s.leader = p.led.Load() - 1; s.leader < 0 || !p.ready || p.unsettled != 0 {
			continue
		}
		if s.batch, s.Err = p.batchOf(s.Messages); s.Err != nil {
			s.batch = nil
		}
	}
	for i := range all {
		if all[i].batch != nil {
			c.produceTo(ctx, all[i:], all[i].leader)
		}
	}
}

// produceTo sends the batches of one leader.
func (c *Client) produceTo(ctx context.Context, all []Sending, leader int32) {
	m := c.newProduce()
	for i := range all {
		if s := &all[i]; s.batch != nil && s.leader == leader {
			addBatch(m, &s.Producer.cfg, s.batch)
		}
	}
	cfg := &all[0].Producer.cfg
	var asked atomic.Int32 // 1 + the broker that leads the first by now
	answer, err := c.produce(ctx, m, c.leaderInto(cfg.Topic, cfg.Partition, &asked))
	for i := range all {
		s := &all[i]
		if s.batch == nil || s.leader != leader {
			continue
		}
		base, err := int64(0), err
		if err == nil {
			base, err = answerOf(answer, &s.Producer.cfg)
		}
		if err == nil {
			s.Producer.led.Store(asked.Load())
		}
		s.settle(base, err)
	}
}

// answerOf finds a partition's part of an answer.
func answerOf(a *kmsg.ProduceResponse, cfg *ProducerConfig) (int64, error) {
	for i := range a.Topics {
		if a.Topics[i].Topic != cfg.Topic {
			continue
		}
		for j := range a.Topics[i].Partitions {
			if p := &a.Topics[i].Partitions[j]; p.Partition == int32(cfg.Partition) {
				return storedAt(p)
			}
		}
	}
	return 0, &passing{why: "the broker's answer has no partition", err: errAnswer}
}

// storedAt is what a partition's part of an answer says.
func storedAt(p *kmsg.ProduceResponseTopicPartition) (int64, error) {
	switch code := kafkago.Error(p.ErrorCode); code {
	case 0:
		return p.BaseOffset, nil
	case kafkago.DuplicateSequenceNumber: // stored, longer ago than the broker remembers where
		return -1, nil
	default:
		return 0, code
	}
}

// settle notes what became of the batch, so that a Send of the same messages continues with
// it.
func (s *Sending) settle(base int64, err error) {
	p := s.Producer
	if err == nil {
		p.moveOn(len(s.Messages), len(s.batch))
		s.Base, s.Err = base, nil
	} else {
		if outcomeUnknown(err) {
			p.unsettled = p.fingerprint(s.Messages)
		}
		if Retriable(err) {
			p.client.stats.retries.Add(1)
		}
		s.Err = p.failed(fmt.Errorf("in a multi-partition produce: %w", err))
	}
	s.batch = nil
}
