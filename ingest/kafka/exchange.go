package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxAnswer bounds the answers that carry no records.
const maxAnswer = 16 << 20

// exchange is one request and its answer on a connection of kafka-go. It runs on
// the connection's goroutine, perhaps after its caller has given up: it owns all it
// touches.
type exchange struct {
	payload     *[]byte // the request as it goes on the wire, from the pool
	correlation int32
	limit       int // of the answer, in bytes
	answer      kmsg.Response
	came        *[]byte // what a Fetch's record batches are part of, from the pool
}

// payloads are used again, requests once they are written, answers once nothing of what
// was read refers to them.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

func reuse(payload *[]byte) {
	if cap(*payload) <= maxPooled {
		payloads.Put(payload)
	}
}

// maxPooled keeps a pool from holding the largest request ever sent.
const maxPooled = 4 << 20

var errAnswer = errors.New("answer cannot be read")

// ApiKey serves kafka-go's look-up of versions, which do not matter here: any key
// that it knows will do.
func (x *exchange) ApiKey() protocol.ApiKey { return protocol.ApiVersions }

// Required says that RawExchange is to be called.
func (x *exchange) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange writes the request and reads the answer. After an error kafka-go
// closes the connection.
func (x *exchange) RawExchange(rw io.ReadWriter) (protocol.Message, error) {
	_, err := rw.Write(*x.payload)
	reuse(x.payload)
	x.payload = nil
	if err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(rw, size[:]); err != nil {
		return nil, err
	}
	n := int32(binary.BigEndian.Uint32(size[:]))
	if n < 4 || int(n) > x.limit {
		return nil, fmt.Errorf("%w: %d bytes", errAnswer, n)
	}
	x.came = payloads.Get().(*[]byte)
	*x.came = slices.Grow((*x.came)[:0], int(n))[:n]
	b := *x.came
	if _, err := io.ReadFull(rw, b); err != nil {
		return nil, err
	}
	if got := int32(binary.BigEndian.Uint32(b)); got != x.correlation {
		return nil, fmt.Errorf("%w: correlation %d instead of %d", errAnswer, got, x.correlation)
	}
	b = b[4:]
	if x.answer.IsFlexible() {
		if b, err = skipTags(b); err != nil {
			return nil, err
		}
	}
	if !fits(x.answer.Key(), b) {
		return nil, fmt.Errorf("%w: lengths that do not fit", errAnswer)
	}
	if err := x.answer.ReadFrom(b); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if kmsg.Key(x.answer.Key()) != kmsg.Fetch {
		x.release() // its texts are copies
	}
	return x, nil
}

// release ends the use of the answer's record batches.
func (x *exchange) release() {
	reuse(x.came)
	x.came = nil
}

// skipTags passes over the tagged fields that end an answer's header.
func skipTags(b []byte) ([]byte, error) {
	n, k := binary.Uvarint(b)
	for ; k > 0 && n > 0; n-- {
		b = b[k:]
		if _, k = binary.Uvarint(b); k <= 0 {
			break
		}
		b = b[k:]
		var size uint64
		if size, k = binary.Uvarint(b); k <= 0 || size > uint64(len(b)-k) {
			k = 0
			break
		}
		k += int(size)
	}
	if k <= 0 {
		return nil, fmt.Errorf("%w: tags of its header", errAnswer)
	}
	return b[k:], nil
}

// route says which broker an exchange goes to.
type route func(protocol.Cluster) (protocol.Broker, error)

// routed is an exchange with one certain broker.
type routed struct {
	*exchange
	route route
}

// Broker is asked by kafka-go with the leaders as it knows them.
func (r routed) Broker(c protocol.Cluster) (protocol.Broker, error) { return r.route(c) }

// leader routes to the partition's leader.
func (c *conns) leader(topic string, partition int) route {
	return func(l protocol.Cluster) (protocol.Broker, error) {
		if len(c.cfg.Topics) > 0 && !slices.Contains(c.cfg.Topics, topic) {
			return protocol.Broker{}, fmt.Errorf("%w: %q", errForeignTopic, topic)
		}
		p, ok := l.Topics[topic].Partitions[int32(partition)]
		if !ok {
			return protocol.Broker{}, kafkago.UnknownTopicOrPartition
		}
		b, ok := l.Brokers[p.Leader]
		if !ok {
			return protocol.Broker{}, kafkago.LeaderNotAvailable
		}
		return b, nil
	}
}

// leaderInto is leader, and stores 1 + the broker's id.
func (c *conns) leaderInto(topic string, partition int, in *atomic.Int32) route {
	found := c.leader(topic, partition)
	return func(l protocol.Cluster) (protocol.Broker, error) {
		b, err := found(l)
		if err == nil {
			in.Store(b.ID + 1)
		}
		return b, err
	}
}

// controller routes to the broker that changes topics.
func controller(l protocol.Cluster) (protocol.Broker, error) {
	b, ok := l.Brokers[l.Controller]
	if !ok {
		return protocol.Broker{}, kafkago.BrokerNotAvailable
	}
	return b, nil
}

// node routes to the broker with this id.
func node(id int32) route {
	return func(protocol.Cluster) (protocol.Broker, error) { return protocol.Broker{ID: id}, nil }
}

// request is one request on its way.
type request struct {
	message kmsg.Request
	route   route              // nil: any broker
	over    *kafkago.Transport // nil: the rest's
	within  time.Duration      // 0: Config.RequestTimeout
	limit   int                // of the answer; 0: maxAnswer
}

// ask sends a request and gives its answer, whose codes are
// not yet looked at. Its errors are those of failure.
func (c *conns) ask(ctx context.Context, r request) (kmsg.Response, error) {
	x, err := c.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	return x.answer, nil
}

// exchange is ask for an answer whose memory may be released.
func (c *conns) exchange(ctx context.Context, r request) (*exchange, error) {
	if c.ctx.Err() != nil {
		return nil, ErrClosed
	}
	r.message.SetVersion(versions[kmsg.Key(r.message.Key())])
	answer := r.message.ResponseKind()
	if r.limit == 0 {
		r.limit = maxAnswer
	}
	if r.over == nil {
		r.over = c.rest
	}
	payload := payloads.Get().(*[]byte)
	x := &exchange{payload: payload, correlation: c.correlation.Add(1), limit: r.limit, answer: answer}
	*payload = c.formatter.AppendRequest((*payload)[:0], r.message, x.correlation)
	var m protocol.Message = x
	if r.route != nil {
		m = routed{x, r.route}
	}
	within, cancel := context.WithTimeout(ctx, orDefault(r.within, c.cfg.RequestTimeout))
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	c.stats.requests.Add(1)
	if _, err := r.over.RoundTrip(within, c.addr, m); err != nil {
		return nil, c.failure(ctx, err)
	}
	c.reach.heard.Add(1)
	return x, nil
}

// failure sorts what a round trip failed with: the caller's context has ended, the
// client is closed, a code of Kafka's, or the broker could not be reached, which passes.
func (c *conns) failure(ctx context.Context, err error) error {
	var code kafkago.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.ctx.Err() != nil:
		return ErrClosed
	case errors.As(err, &code), errors.Is(err, errForeignTopic), refusedForever(err):
		return err
	}
	return &passing{why: "broker not reached", err: err}
}
