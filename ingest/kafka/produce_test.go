package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// lossy is a listener whose connections break when the broker answers, after it has
// done what it was asked: acknowledgements are lost.
type lossy struct {
	net.Listener
	every *atomic.Int64 // about one answer of so many; 0: none
}

func (l lossy) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return lossyConn{c, l.every}, err
}

type lossyConn struct {
	net.Conn
	every *atomic.Int64
}

func (c lossyConn) Write(b []byte) (int, error) {
	if n := c.every.Load(); n > 0 && rand.Int64N(n) == 0 {
		_ = c.Conn.Close()
		return 0, errors.New("acknowledgement lost")
	}
	return c.Conn.Write(b)
}

func TestSend_LostAcknowledgementsLoseAndDoubleNothing(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var every atomic.Int64
	w := given(t, kfake.SeedTopics(1, "t"), kfake.ListenFn(func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		return lossy{l, &every}, err
	}))
	w.id()
	p := w.producer(nil)
	w.send(p, "0 start")
	every.Store(6)
	// Answers that leave the outcome open, although the batch was stored, or not.
	faults := w.cluster.Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(8) == 0 }},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicasAfterAppend, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(8) == 0 }},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: -1, When: func(kmsg.Request) bool { return rand.IntN(8) == 0 }},
	)
	want := []string{"0 0 start"}
	gaveUp := 0
	for i := 1; i <= 80; i++ {
		values := make([]string, 1+r.IntN(4))
		for j := range values {
			values[j] = fmt.Sprint(i, ".", j)
			want = append(want, fmt.Sprint(len(want), " ", values[j]))
		}
		for { // a caller that gives up early must come again with the same
			short, cancel := context.WithTimeout(w.ctx, time.Duration(1+r.IntN(100))*time.Millisecond)
			base, err := p.Send(short, messages(values...))
			cancel()
			if err == nil {
				if base != int64(len(want)-len(values)) {
					t.Fatalf("batch %d is at %d, want %d", i, base, len(want)-len(values))
				}
				break
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			gaveUp++
		}
	}
	every.Store(0)
	t.Logf("%d faults, %d Sends given up, %+v", faults.Hits(), gaveUp, w.client.Stats())
	if faults.Hits() == 0 || w.client.Stats().Retries == 0 || w.client.Stats().Sessions != 1 {
		t.Error("nothing went wrong, or a session was lost")
	}
	faults.Remove()
	got, _ := w.drain(w.fetcher(nil), 0)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// answerProduce makes the next requests of this kind fail with these codes, one each,
// without their work being done.
func (w *harness) answerProduce(codes ...*kerr.Error) {
	for _, e := range codes {
		w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: e, Count: 1})
	}
}

func TestSend_OtherMessagesAfterAnUnknownOutcomeAreNoRepeat(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.send(p, "first")
	ended, cancel := context.WithCancel(w.ctx)
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.RequestTimedOut, When: func(kmsg.Request) bool { cancel(); return true }})
	if _, err := p.Send(ended, messages("given up")); !errors.Is(err, context.Canceled) || Retriable(err) {
		t.Fatal(err)
	}
	w.send(p, "other!!!")
	w.send(p, "last")
	got, _ := w.drain(w.fetcher(nil), 0)
	// The one given up was stored: the broker did its work.
	if diff := cmp.Diff([]string{"0 first", "1 given up", "2 other!!!", "3 last"}, got); diff != "" {
		t.Error(diff)
	}
	if n := w.client.Stats().Sessions; n != 2 {
		t.Errorf("%d sessions", n)
	}
}

// A leader that loses its lead while it waits for its replicas answers so too, after the
// append: other messages do not take the sequence.
func TestSend_NotLeaderMayHaveStored(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.send(p, "first")
	ended, cancel := context.WithCancel(w.ctx)
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 1})
	go func() { // it gives up while it waits to repeat
		for w.client.Stats().Retries == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := p.Send(ended, messages("given up")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.send(p, "other!!!")
	if n := w.client.Stats().Sessions; n != 2 {
		t.Errorf("%d sessions", n)
	}
}

func TestSend_IdempotenceIsLostOnlyInDoubt(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.send(p, "a")
	w.answerProduce(kerr.OutOfOrderSequenceNumber)
	w.send(p, "b") // nothing of it was stored: a new session, unnoticed
	if n := w.client.Stats().Sessions; n != 2 {
		t.Fatalf("%d sessions", n)
	}
	w.answerProduce(kerr.RequestTimedOut, kerr.UnknownProducerID) // stored, then forgotten
	_, err := p.Send(w.ctx, messages("c"))
	if !errors.Is(err, ErrIdempotenceLost) || !errors.Is(err, kafkago.UnknownProducerId) || Retriable(err) {
		t.Fatal(err)
	}
	w.send(p, "d")
	w.answerProduce(kerr.OutOfOrderSequenceNumber, kerr.OutOfOrderSequenceNumber)
	if _, err := p.Send(w.ctx, messages("e")); !errors.Is(err, ErrIdempotenceLost) {
		t.Fatal(err) // a broker that refuses a fresh session too
	}
	w.send(p, "f")
	got, _ := w.drain(w.fetcher(nil), 0)
	if diff := cmp.Diff([]string{"0 a", "1 b", "2 c", "3 d", "4 f"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestSend_SequenceContinuesBehindTheWrap(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.send(p, "a")
	// A producer that the broker does not know may begin anywhere. kfake wraps one
	// earlier than Kafka: what was sent is looked at instead of what it thinks.
	p.stamp = stamp{producer: p.stamp.producer + 1000, sequence: math.MaxInt32 - 1}
	var sequences []int32
	w.cluster.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		q := r.(*kmsg.ProduceRequest)
		var b kmsg.RecordBatch
		if err := b.ReadFrom(q.Topics[0].Partitions[0].Records); err != nil {
			return nil, err, true
		}
		sequences = append(sequences, b.FirstSequence)
		a := q.ResponseKind().(*kmsg.ProduceResponse)
		part := kmsg.NewProduceResponseTopicPartition()
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic = q.Topics[0].Topic
		topic.Partitions = append(topic.Partitions, part)
		a.Topics = append(a.Topics, topic)
		return a, nil, true
	})
	w.send(p, "b", "c", "d", "e")
	w.send(p, "f")
	w.send(p, "g")
	if want := []int32{math.MaxInt32 - 1, 2, 3}; !slices.Equal(sequences, want) {
		t.Errorf("%d, want %d", sequences, want)
	}
}

func TestSend_RefusalsReturnAtOnceAndTakeNoSequence(t *testing.T) {
	w := given(t)
	p := w.producer(func(c *ProducerConfig) { c.MaxBytes = 8 << 20 })
	w.send(p, "a")
	big := []Message{{Value: make([]byte, 2<<20)}}
	if _, err := p.Send(w.ctx, big); !errors.Is(err, kafkago.MessageSizeTooLarge) || Retriable(err) {
		t.Fatal("the broker's limit:", err)
	}
	w.answerProduce(kerr.TopicAuthorizationFailed)
	if _, err := p.Send(w.ctx, messages("x")); !errors.Is(err, kafkago.TopicAuthorizationFailed) {
		t.Fatal(err)
	}
	small := w.producer(nil)
	if _, err := small.Send(w.ctx, big); !errors.Is(err, kafkago.MessageSizeTooLarge) {
		t.Fatal("the producer's own limit:", err)
	}
	if _, err := p.Send(w.ctx, nil); err == nil {
		t.Fatal("nothing was sent")
	}
	packing := w.producer(func(c *ProducerConfig) { c.Codec = Zstd })
	if _, err := packing.Send(w.ctx, big); err != nil {
		t.Fatal("what fits compressed:", err)
	}
	w.send(p, "b")
	if s := w.client.Stats(); s.Sessions != 3 || s.ProducedRecords != 3 || s.ProducedBatches != 3 || s.ProducedBytes == 0 {
		t.Errorf("%+v", s)
	}
}

func TestSend_WaitsForABrokerThatStarts(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	for _, code := range []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.CoordinatorNotAvailable} {
		w.cluster.ControlKey(int16(kmsg.InitProducerID), func(r kmsg.Request) (kmsg.Response, error, bool) {
			a := r.ResponseKind().(*kmsg.InitProducerIDResponse)
			a.ErrorCode = code.Code
			return a, nil, true
		})
	}
	w.answerProduce(kerr.LeaderNotAvailable, kerr.NotLeaderForPartition, kerr.NotEnoughReplicas)
	if base := w.send(p, "a"); base != 0 {
		t.Error(base)
	}
	if n := w.client.Stats().Retries; n < 5 {
		t.Errorf("%d retries", n)
	}
}

func TestSend_DuplicateWithoutAPlaceIsASuccess(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.answerProduce(kerr.DuplicateSequenceNumber)
	if base := w.send(p, "a"); base != -1 {
		t.Error(base)
	}
}

func TestFingerprint_DiffersByMessages(t *testing.T) {
	p, err := (&Client{}).Producer(ProducerConfig{Topic: "t"})
	if err != nil {
		t.Fatal(err)
	}
	all := [][]Message{
		messages("ab", "c"), messages("a", "bc"), messages("abc"),
		{{Key: []byte("abc")}},
		{{Value: []byte{}}},
		{{}},
		{{TimeMs: 1}},
		{{Headers: []Header{{"a", nil}}}},
		{{Headers: []Header{{"a", []byte{}}}}},
		{{}, {}},
	}
	seen := map[uint64]int{}
	for i, m := range all {
		h := p.fingerprint(m)
		if j, ok := seen[h]; ok {
			t.Errorf("%d and %d are the same", i, j)
		}
		seen[h] = i
		if h != p.fingerprint(m) || h == 0 {
			t.Errorf("%d is not itself", i)
		}
	}
}
