package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// transact makes a random history of interleaved transactions in all codecs, some
// aborted, with plain records between them.
func (w *harness) transact(r *rand.Rand, steps int) {
	w.Helper()
	codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(), kgo.SnappyCompression(), kgo.GzipCompression()}
	clients := make([]*kgo.Client, 4) // the last is without transactions
	open := make([]bool, 3)
	for i := range clients {
		opts := []kgo.Opt{kgo.SeedBrokers(w.brokers...), kgo.DefaultProduceTopic(w.topic), kgo.ProducerLinger(0), kgo.ProducerBatchCompression(codecs[r.IntN(len(codecs))])}
		if i < len(open) {
			opts = append(opts, kgo.TransactionalID(fmt.Sprint(w.topic, i)))
		}
		k, err := kgo.NewClient(opts...)
		w.must(err)
		defer k.Close()
		clients[i] = k
	}
	end := func(i int) {
		w.must(clients[i].EndTransaction(w.ctx, kgo.TransactionEndTry(r.IntN(2) == 0)))
		open[i] = false
	}
	for step := range steps {
		i := r.IntN(len(clients))
		if i < len(open) && !open[i] {
			w.must(clients[i].BeginTransaction())
			open[i] = true
		}
		var records []*kgo.Record
		for n := range 1 + r.IntN(3) {
			records = append(records, kgo.KeyStringRecord(fmt.Sprint("k", r.IntN(7)), fmt.Sprintf("p%d-s%d-%d", i, step, n)))
		}
		w.must(clients[i].ProduceSync(w.ctx, records...).FirstErr())
		if i < len(open) && r.IntN(3) == 0 {
			end(i)
		}
	}
	for i := range open {
		if open[i] {
			end(i)
		}
	}
	// A marker ends the history, so that a consumer of control records sees its end.
	w.must(clients[0].BeginTransaction())
	w.must(clients[0].ProduceSync(w.ctx, kgo.KeyStringRecord("last", "last")).FirstErr())
	w.must(clients[0].EndTransaction(w.ctx, kgo.TryCommit))
}

// peer is what franz-go's consumer shows under read_committed from an offset on.
func (w *harness) peer(from, end int64) (lines []string) {
	w.Helper()
	k, err := kgo.NewClient(kgo.SeedBrokers(w.brokers...), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(50*time.Millisecond),
		kgo.KeepControlRecords(), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{w.topic: {0: kgo.NewOffset().At(from)}}))
	w.must(err)
	defer k.Close()
	for last := from - 1; last < end-1; { // a control record ends each history
		fs := k.PollFetches(w.ctx)
		w.must(fs.Err())
		fs.EachRecord(func(r *kgo.Record) {
			last = r.Offset
			if !r.Attrs.IsControl() {
				lines = append(lines, fmt.Sprint(r.Offset, " ", string(r.Value)))
			}
		})
	}
	return lines
}

func TestFetcher_EqualsFranzGoUnderReadCommitted(t *testing.T) {
	for range 6 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := given(t)
			r := rand.New(rand.NewPCG(seed, 0))
			w.transact(r, 60)
			var end int64
			for _, from := range []int64{0, r.Int64N(40), r.Int64N(80)} {
				f := w.fetcher(func(c *FetchConfig) { c.MaxBytes = 200 + r.IntN(4000) })
				var got []string
				got, end = w.drain(f, from)
				if diff := cmp.Diff(w.peer(from, end), got); diff != "" {
					t.Fatalf("from %d: %s", from, diff)
				}
			}
			stable, err := w.client.End(w.ctx, "t", 0)
			w.must(err)
			if end != stable {
				t.Errorf("read to %d of %d", end, stable)
			}
			if s := w.client.Stats(); s.Fetches == 0 || s.Records == 0 || s.FetchedBytes == 0 || s.Requests <= s.Fetches || s.Corrupt != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestFetcher_StopsAtOpenTransactions(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "before")
	k, err := kgo.NewClient(kgo.SeedBrokers(w.brokers...), kgo.DefaultProduceTopic("t"), kgo.TransactionalID("x"))
	w.must(err)
	defer k.Close()
	w.must(k.BeginTransaction())
	w.must(k.ProduceSync(w.ctx, kgo.StringRecord("open")).FirstErr())
	page, err := w.fetch(w.fetcher(nil), 0, NoEpoch)
	w.must(err)
	if len(page.Records) != 1 || page.Next != 1 || page.Stable != 1 || page.High != 2 || page.Start != 0 {
		t.Errorf("%+v", page)
	}
	end, err := w.client.End(w.ctx, "t", 0)
	if err != nil || end != 1 {
		t.Errorf("end %d, %v", end, err)
	}
	w.must(k.EndTransaction(w.ctx, kgo.TryCommit))
}

func TestFetcher_ReadsACompactedTopicToItsEnd(t *testing.T) {
	w := given(t, kfake.BrokerConfigs(map[string]string{"log.segment.bytes": "200"}))
	w.createTopic(map[string]string{"cleanup.policy": "compact", "segment.bytes": "200", "min.cleanable.dirty.ratio": "0"})
	p := w.producer(nil)
	newest := map[string]string{"first": "stays"} // kfake moves the log's start to what is left, Kafka does not
	_, err := p.Send(w.ctx, []Message{{Key: []byte("first"), Value: []byte("stays")}})
	w.must(err)
	for i := range 60 {
		var m []Message
		for j := range 3 {
			key, value := fmt.Sprint("k", (i+j)%5), fmt.Sprint("v", i, ".", j)
			m = append(m, Message{Key: []byte(key), Value: []byte(value)})
			newest[key] = value
		}
		_, err := p.Send(w.ctx, m)
		w.must(err)
	}
	before, end := w.drain(w.fetcher(nil), 0)
	w.cluster.Compact()
	f := w.fetcher(nil)
	got := map[string]string{}
	n, next := 0, int64(0)
	for next < end {
		page, err := w.fetch(f, next, NoEpoch)
		w.must(err)
		for _, r := range page.Records {
			got[string(r.Key)] = string(r.Value)
			n++
		}
		next = page.Next
	}
	if diff := cmp.Diff(newest, got); diff != "" {
		t.Error(diff)
	}
	if n >= len(before) {
		t.Fatalf("nothing was compacted: %d of %d", n, len(before))
	}
	for from := range end { // from within every hole
		page, err := w.fetch(f, from, NoEpoch)
		w.must(err)
		if page.Next <= from || len(page.Records) > 0 && page.Records[0].Offset < from {
			t.Fatalf("from %d: %+v", from, page)
		}
	}
}

func TestFetcher_FetchesACorruptBatchTwice(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	w.send(p, "a", "b")
	w.send(p, "c")
	damage := func(times int) {
		log := slices.Concat(placed(encoded(t, None, messages("a", "b")), 0, 0), placed(encoded(t, None, messages("c")), 2, 0))
		w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			w.cluster.KeepControl()
			if times--; times == 0 {
				w.cluster.DropControl()
			}
			q := r.(*kmsg.FetchRequest)
			a := q.ResponseKind().(*kmsg.FetchResponse)
			part := kmsg.NewFetchResponseTopicPartition()
			part.HighWatermark, part.LastStableOffset, part.LogStartOffset = 3, 3, 0
			part.RecordBatches = slices.Clone(log)
			part.RecordBatches[70] ^= 1
			topic := kmsg.NewFetchResponseTopic()
			topic.TopicID = q.Topics[0].TopicID
			topic.Partitions = append(topic.Partitions, part)
			a.Topics = append(a.Topics, topic)
			return a, nil, true
		})
	}
	f := w.fetcher(nil)
	damage(1)
	page, err := f.Fetch(w.ctx, 0, NoEpoch)
	if err != nil || len(page.Records) != 3 {
		t.Fatalf("damaged on its way only: %v", err)
	}
	damage(2)
	_, err = f.Fetch(w.ctx, 0, NoEpoch)
	var corrupt *domain.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Base != 0 || corrupt.Next != 2 || w.client.Stats().Corrupt != 1 {
		t.Fatalf("damaged: %v, %+v", err, w.client.Stats())
	}
	page, err = f.Fetch(w.ctx, corrupt.Next, corrupt.Epoch)
	if err != nil || len(page.Records) != 1 || string(page.Records[0].Value) != "c" {
		t.Fatalf("behind it: %v", err)
	}
}

func TestFetcher_PagesBelongToTheCaller(t *testing.T) {
	for _, codec := range []Codec{None, LZ4, Zstd} {
		w := given(t)
		p := w.producer(func(c *ProducerConfig) { c.Codec = codec })
		for i := range 20 {
			w.send(p, fmt.Sprintf("value %03d", i))
		}
		f := w.fetcher(func(c *FetchConfig) { c.MaxBytes = 200 })
		var pages []*Page
		for next := int64(0); next < 20; {
			page, err := w.fetch(f, next, NoEpoch)
			w.must(err)
			pages = append(pages, page)
			next = page.Next
		}
		n := 0
		for _, page := range pages {
			for i := range page.Records {
				r := &page.Records[i]
				if string(r.Value) != fmt.Sprintf("value %03d", n) {
					t.Fatalf("%s: record %d is %q", codec, n, r.Value)
				}
				_ = append(r.Value, "overrun"...)
				n++
			}
		}
		if n != 20 || len(pages) < 3 {
			t.Fatalf("%s: %d records in %d pages", codec, n, len(pages))
		}
	}
}

func TestFetcher_ReturnsRetriableErrorsAtOnce(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a")
	f := w.fetcher(nil)
	for _, e := range []*kerr.Error{kerr.LeaderNotAvailable, kerr.NotLeaderForPartition, kerr.OffsetNotAvailable, kerr.KafkaStorageError, kerr.FencedLeaderEpoch, kerr.UnknownServerError} {
		w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
			a := r.ResponseKind().(*kmsg.FetchResponse)
			p := kmsg.NewFetchResponseTopicPartition()
			p.ErrorCode = e.Code
			topic := kmsg.NewFetchResponseTopic()
			topic.Partitions = append(topic.Partitions, p)
			a.Topics = append(a.Topics, topic)
			return a, nil, true
		})
		if _, err := f.Fetch(w.ctx, 0, NoEpoch); !Retriable(err) {
			t.Errorf("%s: %v", e.Message, err)
		}
	}
	w.cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("connection lost"), true })
	if _, err := f.Fetch(w.ctx, 0, NoEpoch); !Retriable(err) {
		t.Errorf("a lost connection: %v", err)
	}
	if n := w.client.Stats().Retries; n < 7 {
		t.Errorf("%d retries counted", n)
	}
	ended, cancel := context.WithCancel(w.ctx)
	cancel()
	if _, err := f.Fetch(ended, 0, NoEpoch); Retriable(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	page, err := w.fetch(f, 0, NoEpoch)
	if err != nil || len(page.Records) != 1 {
		t.Errorf("afterwards: %v", err)
	}
}

func TestFetcher_NeedsATopicWithItsID(t *testing.T) {
	w := given(t)
	for _, c := range []FetchConfig{{}, {Topic: "t"}, {ID: domain.TopicID{1}}, {Topic: "t", ID: domain.TopicID{1}, Partition: -1}} {
		if _, err := w.client.Fetcher(c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
