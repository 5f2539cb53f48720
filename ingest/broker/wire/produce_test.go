package wire_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// batchOf is a record batch without producer id.
func batchOf(values ...string) []byte {
	var all [][]byte
	for _, v := range values {
		all = append(all, []byte(v))
	}
	return batchtest.Batch(0, all...)
}

func produceRequest(acks int16, topic string, batches ...[]byte) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Acks = acks
	q := kmsg.NewProduceRequestTopic()
	q.Topic = topic
	for i, b := range batches {
		p := kmsg.NewProduceRequestTopicPartition()
		p.Partition, p.Records = int32(i), b
		q.Partitions = append(q.Partitions, p)
	}
	req.Topics = append(req.Topics, q)
	return req
}

func TestProduce_EveryAckWaitsForTheDisk(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	w := r.dial()
	for i, acks := range []int16{1, -1} {
		rp := ask[*kmsg.ProduceResponse](w, produceRequest(acks, "t", batchOf("a", "b")), 9).Topics[0].Partitions[0]
		if rp.ErrorCode != 0 || rp.BaseOffset != int64(2*i) || rp.LogAppendTime != -1 {
			t.Fatalf("%+v", rp)
		}
	}
	for range 3 {
		w.send(produceRequest(0, "t", batchOf("c")), 9)
	}
	// The next answer is that of the next request.
	ask[*kmsg.MetadataResponse](w, kmsg.NewPtrMetadataRequest(), 12)
	l, err := log.Open("log", log.Options{FS: r.fs.CrashClone(vfs.CrashCloneCfg{}), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p, err := l.Topics.Partition(id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, end, err := p.Bounds(); err != nil || end != 7 {
		t.Fatalf("end %d after a crash: %v", end, err)
	}
	// An error that cannot be answered closes the connection.
	w.send(produceRequest(0, "nowhere", batchOf("c")), 9)
	w.closed()
}

func TestProduce_ManyPartitions(t *testing.T) {
	r := newHarness(t)
	r.create("t", 5)
	w := r.dial()
	batches := [][]byte{batchOf("0"), batchOf("1"), batchOf("22"), nil, batchOf("4"), batchOf("5")}
	batches[1][len(batches[1])-1] ^= 1 // checksum
	rs := ask[*kmsg.ProduceResponse](w, produceRequest(-1, "t", batches...), 9)
	for i, want := range []int16{0, 2, 0, 87, 0, 3} {
		if rp := rs.Topics[0].Partitions[i]; rp.ErrorCode != want || (want != 0) != (rp.BaseOffset == -1) {
			t.Errorf("partition %d: %+v, want code %d", i, rp, want)
		}
	}
	s := r.broker.Stats()
	if s.Appends != 3 || s.Refused["corrupt_message"] != 1 || s.Refused["invalid_record"] != 1 || s.Refused["unknown_topic_or_partition"] != 1 {
		t.Fatalf("%+v", s)
	}
}

func TestProduce_FinalErrors(t *testing.T) {
	r := newHarness(t)
	r.create("t", 1)
	transactional := produceRequest(-1, "t", batchOf("a"))
	transactional.TransactionID = new("tx")
	zstd := batchOf("a")
	zstd[22] = 4
	for _, c := range []struct {
		name    string
		req     *kmsg.ProduceRequest
		version int16
		want    int16
	}{
		{"acks 2", produceRequest(2, "t", batchOf("a")), 9, 21},
		{"transaction", transactional, 9, 53},
		{"zstd in an old version", produceRequest(-1, "t", zstd), 6, 76},
		{"zstd that is none", produceRequest(-1, "t", zstd), 9, 2},
		{"two batches", produceRequest(-1, "t", append(batchOf("a"), batchOf("b")...)), 3, 87},
	} {
		t.Run(c.name, func(t *testing.T) {
			rp := ask[*kmsg.ProduceResponse](r.dial(), c.req, c.version).Topics[0].Partitions[0]
			if rp.ErrorCode != c.want {
				t.Fatalf("code %d, want %d", rp.ErrorCode, c.want)
			}
		})
	}
	req := kmsg.NewPtrInitProducerIDRequest()
	req.TransactionalID = new("tx")
	if rs := ask[*kmsg.InitProducerIDResponse](r.dial(), req, 4); rs.ErrorCode != 53 || rs.ProducerID != -1 {
		t.Fatalf("%+v", rs)
	}
}

func TestProduce_TransactionsAreRefused(t *testing.T) {
	r := newHarness(t)
	r.create("t", 1)
	c := r.client(kgo.TransactionalID("tx"))
	if err := c.BeginTransaction(); err == nil {
		err = c.ProduceSync(testContext(t), &kgo.Record{Topic: "t"}).FirstErr()
		if err == nil || !strings.Contains(err.Error(), "TRANSACTIONAL_ID_AUTHORIZATION_FAILED") {
			t.Fatal(err)
		}
	}
}

func TestProduce_ConsumersSeeLogAppendTime(t *testing.T) {
	now := time.UnixMilli(1_234_567)
	r := newHarness(t, func(_ *wire.Config, o *log.Options) { o.Now = func() time.Time { return now } })
	r.create("t", 1, "message.timestamp.type", "LogAppendTime")
	c := r.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart()}}))
	ctx := testContext(t)
	for i := range 3 {
		res := c.ProduceSync(ctx, &kgo.Record{Topic: "t", Timestamp: time.UnixMilli(int64(i))}, &kgo.Record{Topic: "t", Timestamp: time.UnixMilli(77)})
		if err := res.FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < 6; {
		c.PollFetches(ctx).EachRecord(func(rec *kgo.Record) {
			n++
			if !rec.Timestamp.Equal(now) || rec.Attrs.TimestampType() != 1 {
				t.Errorf("%v, type %d", rec.Timestamp, rec.Attrs.TimestampType())
			}
		})
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
}

// A franz-go producer with idempotence writes while the machine crashes several
// times under it: nothing acknowledged is lost, nothing is there twice.
func TestProduce_IdempotentClientSurvivesCrashes(t *testing.T) {
	r := newHarness(t)
	r.create("t", 2)
	ctx := testContext(t)
	c := r.client(kgo.MaxBufferedRecords(50), kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond }), kgo.ProducerLinger(0))
	var acked sync.Map
	var failed, produced, confirmed atomic.Int64
	stop, progress := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			v := fmt.Sprint(i)
			produced.Add(1)
			c.Produce(ctx, &kgo.Record{Topic: "t", Partition: int32(i % 2), Value: []byte(v)}, func(_ *kgo.Record, err error) {
				if err != nil {
					failed.Add(1)
					return
				}
				acked.Store(v, true)
				if confirmed.Add(1)%300 == 0 {
					select {
					case progress <- struct{}{}:
					default:
					}
				}
			})
		}
	})
	for range 4 {
		select {
		case <-progress:
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
		// Requests in work are stored, their acknowledgements are lost; then the crash.
		r.broker.Close()
		crashed, addr := r.fs.CrashClone(vfs.CrashCloneCfg{}), r.addr
		r.stop()
		r = harnessOn(t, crashed, func(cfg *wire.Config, _ *log.Options) { cfg.Listen = addr })
	}
	close(stop)
	wg.Wait()
	if err := c.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if failed.Load() > 0 {
		t.Fatalf("%d of %d failed", failed.Load(), produced.Load())
	}
	seen := r.valuesOf(ctx, produced.Load())
	acked.Range(func(k, _ any) bool {
		if seen[k.(string)] != 1 {
			t.Errorf("record %s is there %d times", k, seen[k.(string)])
		}
		return true
	})
	if len(seen) != int(produced.Load()) {
		t.Fatalf("%d records of %d", len(seen), produced.Load())
	}
}

// valuesOf reads n records of both partitions of t and counts their values.
func (r *harness) valuesOf(ctx context.Context, n int64) map[string]int {
	seen := map[string]int{}
	c := r.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart(), 1: kgo.NewOffset().AtStart()}}))
	for n > 0 && ctx.Err() == nil {
		c.PollFetches(ctx).EachRecord(func(rec *kgo.Record) { seen[string(rec.Value)]++; n-- })
	}
	return seen
}
