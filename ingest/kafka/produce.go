package kafka

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrIdempotenceLost says that the broker no longer knows what this producer has
// stored, and that the batch may be in the log or not. Nothing else of what
// was acknowledged is in doubt.
//
// The next Send opens a new session, in which the broker knows nothing of this one's
// batches: the same messages sent again may then be there twice. A caller whose
// readers know repeats sends them again; another must read the log first.
var ErrIdempotenceLost = errors.New("kafka: idempotence lost")

// ProducerConfig names a partition and says how batches are made.
type ProducerConfig struct {
	Topic     string
	Partition int
	Codec     Codec            // None, LZ4 or Zstd
	MaxBytes  int              // of a batch as it is stored: the topic's max.message.bytes. 1 MiB
	Now       func() time.Time // stamps messages without a time; time.Now
}

// Producer appends to one partition, one batch at a time, each stored once: batches
// carry the session's producer id and a sequence, by which the broker knows a batch
// that it has.
//
// One goroutine at a time. Producers of one partition, of this process or another, do
// not disturb each other.
type Producer struct {
	client *Client
	cfg    ProducerConfig
	encoder

	stamp     stamp
	ready     bool         // the session is open: stamp is good
	led       atomic.Int32 // 1 + the broker that leads the partition, as a request found it; 0: not known
	unsettled uint64       // fingerprint of the messages whose outcome is not known; 0: none
	seed      maphash.Seed
}

// Producer gives an appender of the partition with a session of its own.
func (c *Client) Producer(cfg ProducerConfig) (*Producer, error) {
	switch {
	case cfg.Topic == "" || cfg.Partition < 0:
		return nil, fmt.Errorf("kafka: a producer needs a topic and a partition: %q, %d", cfg.Topic, cfg.Partition)
	case !writable(cfg.Codec):
		return nil, fmt.Errorf("kafka: batches cannot be written with %s", cfg.Codec)
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = 1 << 20
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Producer{client: c, cfg: cfg, seed: maphash.MakeSeed()}, nil
}

// Partition is the one that it appends to.
func (p *Producer) Partition() int { return p.cfg.Partition }

// Send appends messages as one batch and gives the offset of the first; −1 if the
// broker has the batch but has forgotten where. When it returns without an error the
// batch is on all replicas in sync. It repeats what may pass until ctx ends, and
// returns at once what cannot: too large, not authorized.
//
// After an error the outcome may be unknown. Sending the same messages again then
// continues with the same batch, which is stored once. Sending others opens a new
// session: the batch given up may still appear, before or after them.
// Only ErrIdempotenceLost leaves the choice that is described there.
func (p *Producer) Send(ctx context.Context, messages []Message) (base int64, err error) {
	if p.unsettled != 0 && p.unsettled != p.fingerprint(messages) {
		p.ready, p.unsettled = false, 0
	}
	doubt := p.unsettled != 0 // an attempt may have been stored
	renewed := false
	var backoff Backoff
	for {
		base, err = p.attempt(ctx, messages)
		switch {
		case err == nil:
			p.unsettled = 0
			return base, nil
		case lost(err):
			p.ready = false
			if doubt || renewed {
				p.unsettled = 0
				return 0, p.failed(fmt.Errorf("%w: %w", ErrIdempotenceLost, err))
			}
			// Nothing of this batch was ever stored: another session changes nothing.
			renewed = true
			continue
		}
		doubt = doubt || outcomeUnknown(err)
		if Retriable(err) {
			p.client.stats.retries.Add(1)
			if backoff.Wait(ctx) == nil {
				continue
			}
			err = ended(ctx, err)
		}
		if doubt {
			p.unsettled = p.fingerprint(messages)
		}
		return 0, p.failed(err)
	}
}

// SendAtLeastOnce is Send for readers that know repeats: where idempotence is lost it sends the
// batch again in a new session.
func (p *Producer) SendAtLeastOnce(ctx context.Context, messages []Message) (base int64, err error) {
	for {
		base, err = p.Send(ctx, messages)
		if !errors.Is(err, ErrIdempotenceLost) || ctx.Err() != nil {
			return base, err
		}
	}
}

func (p *Producer) failed(err error) error {
	return fmt.Errorf("produce %s/%d: %w", p.cfg.Topic, p.cfg.Partition, err)
}

// sessionError marks what failed before the batch was sent.
type sessionError struct{ error }

func (e sessionError) Unwrap() error { return e.error }

// attempt sends the batch once, in a session it opens if there is none.
func (p *Producer) attempt(ctx context.Context, messages []Message) (int64, error) {
	if !p.ready {
		if err := p.open(ctx); err != nil {
			return 0, sessionError{err}
		}
	}
	batch, err := p.batchOf(messages)
	if err != nil {
		return 0, err
	}
	base, err := p.store(ctx, batch)
	if err != nil {
		return 0, err
	}
	p.moveOn(len(messages), len(batch))
	return base, nil
}

// batchOf makes the messages the session's next batch. It is valid until the next.
func (p *Producer) batchOf(messages []Message) ([]byte, error) {
	batch, err := p.encode(p.stamp, p.cfg.Codec, messages, p.cfg.Now().UnixMilli())
	if err != nil {
		return nil, sessionError{err}
	}
	if len(batch) > p.cfg.MaxBytes {
		return nil, sessionError{
			fmt.Errorf("batch of %d bytes, %d allowed: %w", len(batch), p.cfg.MaxBytes, kafkago.MessageSizeTooLarge),
		}
	}
	return batch, nil
}

// moveOn notes that a batch is in the log.
func (p *Producer) moveOn(messages, bytes int) {
	p.stamp.sequence = nextSequence(p.stamp.sequence, messages)
	s := &p.client.stats
	s.producedBatches.Add(1)
	s.producedRecords.Add(uint64(messages))
	s.producedBytes.Add(uint64(bytes))
}

// nextSequence is the sequence after n records: it wraps to 0 after 2^31−1.
func nextSequence(sequence int32, n int) int32 {
	return int32((int64(sequence) + int64(n)) & math.MaxInt32)
}

// open asks any broker for a producer id. kafka-go's own request goes to the
// coordinator of transactions, which a fresh cluster has to make first and which
// needs rights on a transactional id.
func (p *Producer) open(ctx context.Context) error {
	m := kmsg.NewPtrInitProducerIDRequest()
	m.ProducerID, m.ProducerEpoch = -1, -1
	answer, err := p.client.ask(ctx, request{message: m})
	if err != nil {
		return err
	}
	a := answer.(*kmsg.InitProducerIDResponse)
	if a.ErrorCode != 0 {
		return fmt.Errorf("producer id: %w", kafkago.Error(a.ErrorCode))
	}
	p.client.stats.sessions.Add(1)
	p.stamp, p.ready = stamp{producer: a.ProducerID, epoch: a.ProducerEpoch}, true
	return nil
}

// brokerMargin is how much longer than the broker the client waits, so that the
// broker's answer comes first.
const brokerMargin = 2 * time.Second

// store sends the batch to the leader once.
func (p *Producer) store(ctx context.Context, batch []byte) (int64, error) {
	m := p.client.newProduce()
	addBatch(m, &p.cfg, batch)
	answer, err := p.client.produce(ctx, m, p.client.leaderInto(p.cfg.Topic, p.cfg.Partition, &p.led))
	if err != nil {
		return 0, err
	}
	return answerOf(answer, &p.cfg)
}

// newProduce is a produce request of nothing yet.
func (c *conns) newProduce() *kmsg.ProduceRequest {
	m := kmsg.NewPtrProduceRequest()
	m.Acks = -1
	m.TimeoutMillis = int32(c.cfg.RequestTimeout.Milliseconds())
	return m
}

// addBatch adds the batch of a partition that the request has not.
func addBatch(m *kmsg.ProduceRequest, cfg *ProducerConfig, batch []byte) {
	i := slices.IndexFunc(m.Topics, func(t kmsg.ProduceRequestTopic) bool { return t.Topic == cfg.Topic })
	if i < 0 {
		i = len(m.Topics)
		t := kmsg.NewProduceRequestTopic()
		t.Topic = cfg.Topic
		m.Topics = append(m.Topics, t)
	}
	r := kmsg.NewProduceRequestTopicPartition()
	r.Partition, r.Records = int32(cfg.Partition), batch
	m.Topics[i].Partitions = append(m.Topics[i].Partitions, r)
}

func (c *conns) produce(ctx context.Context, m *kmsg.ProduceRequest, to route) (*kmsg.ProduceResponse, error) {
	answer, err := c.ask(ctx, request{message: m, route: to, within: c.cfg.RequestTimeout + brokerMargin})
	if err != nil {
		return nil, err
	}
	return answer.(*kmsg.ProduceResponse), nil
}

// lost reports that the broker does not know this session any more.
func lost(err error) bool {
	return errors.Is(err, kafkago.OutOfOrderSequenceNumber) || errors.Is(err, kafkago.UnknownProducerId) ||
		errors.Is(err, kafkago.InvalidProducerEpoch) || errors.Is(err, kafkago.InvalidProducerIDMapping)
}

// outcomeUnknown reports that the batch may have been stored in spite of the error. Only an
// answer that gives the reason why it was not stored excludes that.
func outcomeUnknown(err error) bool {
	var session sessionError
	if errors.As(err, &session) || errors.Is(err, errForeignTopic) {
		return false
	}
	var code kafkago.Error
	if !errors.As(err, &code) {
		return true
	}
	switch code {
	case kafkago.Unknown, kafkago.RequestTimedOut, kafkago.NetworkException, kafkago.NotEnoughReplicasAfterAppend,
		kafkago.KafkaStorageError,
		kafkago.NotLeaderForPartition: // where the lead moves while the leader waits for its replicas
		return true
	}
	return false
}

// fingerprint differs for other messages; never 0.
func (p *Producer) fingerprint(messages []Message) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	for i := range messages {
		m := &messages[i]
		maphash.WriteComparable(&h, [3]int64{m.TimeMs, int64(len(m.Headers)), int64(i)})
		writeField(&h, m.Key)
		writeField(&h, m.Value)
		for j := range m.Headers {
			writeField(&h, []byte(m.Headers[j].Key))
			writeField(&h, m.Headers[j].Value)
		}
	}
	return h.Sum64() | 1
}

func writeField(h *maphash.Hash, b []byte) {
	n := len(b)
	if b == nil {
		n = -1
	}
	maphash.WriteComparable(h, n)
	_, _ = h.Write(b) // never fails
}
