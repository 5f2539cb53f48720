package kafka

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// past is a log's history: the epochs in order, each with the offset at which it began.
type past []struct {
	epoch int32
	start int64
}

func (p past) at(offset int64) (epoch int32) {
	epoch = -1
	for _, e := range p {
		if e.start <= offset {
			epoch = e.epoch
		}
	}
	return epoch
}

// epochOf is a history as decoders ask for it.
func (p past) epochOf(offset int64, _, _ int32) (int32, error) { return p.at(offset), nil }

// Of a damaged batch the stretch that is lost begins at the offset wanted, in the epoch of
// the log there, whatever the head says.
func TestCorrupt_BeginsAtTheOffsetWanted(t *testing.T) {
	ten := encoded(t, None, messages("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"))
	for name, c := range map[string]struct {
		harm func(b []byte)
		next int64
	}{
		"epoch and records damaged":   {func(b []byte) { b[recordbatch.AtEpoch] ^= 0x40; b[len(b)-1] ^= 1 }, 110},
		"a page of zeros":             {func(b []byte) { clear(b) }, 106},
		"records damaged":             {func(b []byte) { b[len(b)-1] ^= 1 }, 110},
		"base and records damaged":    {func(b []byte) { b[4] ^= 1; b[len(b)-1] ^= 1 }, 110},
		"base lower, records damaged": {func(b []byte) { b[7] ^= 0x40; b[len(b)-1] ^= 1 }, 110},
	} {
		one, two := placed(ten, 100, 5), placed(ten, 110, 5)
		c.harm(one)
		b := slices.Concat(one, two)
		page := &Page{Next: 105, Epoch: 5, High: 120}
		err := newDecoder(page, nil, b, 4, past{{5, 100}}.epochOf).decode(b)
		want := domain.CorruptError{Base: 105, Next: c.next, Epoch: 5}
		var got *domain.CorruptError
		if !errors.As(err, &got) || got.Base != want.Base || got.Next != want.Next || got.Epoch != want.Epoch {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A base is not under the checksum: where it cannot be, the batch is lost and no other.
func TestBase_IsBelievedWhereItFits(t *testing.T) {
	one := encoded(t, None, messages("a", "b", "c"))
	for name, base := range map[string]int64{"within the next": 12, "behind the next": 14, "beyond the log": 1 << 40} {
		b := slices.Concat(placed(one, base, 5), placed(one, 13, 5))
		page := &Page{Next: 10, Epoch: 5, High: 16}
		err := newDecoder(page, nil, b, 4, asClaimed).decode(b)
		var c *domain.CorruptError
		if !errors.As(err, &c) || c.Base != 10 || c.Next != 13 {
			t.Errorf("%s: %v, %+v", name, err, page)
		}
	}
	b := slices.Concat(placed(one, 12, 5), placed(one, 20, 5))
	page := &Page{Next: 10, Epoch: 5, High: 23}
	if err := newDecoder(page, nil, b, 4, asClaimed).decode(b); err != nil || len(page.Records) != 6 || page.Next != 23 {
		t.Errorf("holes of compaction: %v, %+v", err, page)
	}
}

// answers makes the cluster's only partition hold a log with such a history; log gives it
// from the batch on that holds an offset.
func (w *harness) answers(log func(offset int64) []byte, history past, end int64) (asked *atomic.Int64) {
	asked = new(atomic.Int64)
	w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		q := r.(*kmsg.FetchRequest)
		a := q.ResponseKind().(*kmsg.FetchResponse)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset, part.LogStartOffset = end, end, 0
		part.RecordBatches = slices.Clone(log(q.Topics[0].Partitions[0].FetchOffset))
		topic := kmsg.NewFetchResponseTopic()
		topic.TopicID = q.Topics[0].TopicID
		topic.Partitions = append(topic.Partitions, part)
		a.Topics = append(a.Topics, topic)
		return a, nil, true
	})
	w.cluster.ControlKey(int16(kmsg.OffsetForLeaderEpoch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		asked.Add(1)
		q := r.(*kmsg.OffsetForLeaderEpochRequest)
		a := q.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		part := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
		part.LeaderEpoch, part.EndOffset = history.ends(q.Topics[0].Partitions[0].LeaderEpoch, end)
		topic := kmsg.NewOffsetForLeaderEpochResponseTopic()
		topic.Topic = q.Topics[0].Topic
		topic.Partitions = append(topic.Partitions, part)
		a.Topics = append(a.Topics, topic)
		return a, nil, true
	})
	return asked
}

// ends answers as Apache Kafka does.
func (p past) ends(epoch int32, end int64) (int32, int64) {
	i := slices.IndexFunc(p, func(e struct {
		epoch int32
		start int64
	},
	) bool {
		return e.epoch > epoch
	})
	switch {
	case i < 0 && epoch == p[len(p)-1].epoch:
		return epoch, end
	case i < 0:
		return -1, -1
	case i == 0:
		return epoch, p[0].start
	}
	return p[i-1].epoch, p[i].start
}

// I2: the epoch is not under a batch's checksum. Whatever is there, records and lost
// stretches get the log's own, wherever reading began.
func TestI2_AnEpochIsTheLogsOwn(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := given(t)
	history := past{{3, 0}, {5, 4}, {3_600_000, 8}}
	three := encoded(t, None, messages("a", "b"))
	batch := func(base int64) []byte { return placed(three, base, history.at(base)) }
	var held atomic.Pointer[[][]byte]
	w.answers(func(offset int64) []byte { return slices.Concat((*held.Load())[offset/2:]...) }, history, 12)
	for range 60 {
		var log [][]byte
		lost := int64(-1)
		for base := int64(0); base < 12; base += 2 {
			b := batch(base)
			switch r.IntN(4) {
			case 0:
				be.PutUint32(b[recordbatch.AtEpoch:], be.Uint32(b[recordbatch.AtEpoch:])^1<<r.IntN(32))
			case 1:
				if lost < 0 {
					b[70] ^= 1
					be.PutUint32(b[recordbatch.AtEpoch:], r.Uint32())
					lost = base
				}
			}
			log = append(log, b)
		}
		held.Store(&log)
		f := w.fetcher(nil)
		for next := range int64(12) {
			page, err := w.fetch(f, next, history.at(next-1))
			var c *domain.CorruptError
			switch {
			case errors.As(err, &c):
				if c.Epoch != history.at(next) || c.Base != next || c.Next != next-next%2+2 || lost != next-next%2 {
					t.Fatalf("from %d, lost %d: %+v", next, lost, c)
				}
				continue
			case err != nil:
				t.Fatal(err)
			}
			for i := range page.Records {
				if got := &page.Records[i]; got.LeaderEpoch != history.at(got.Offset) {
					t.Fatalf("offset %d: epoch %d", got.Offset, got.LeaderEpoch)
				}
			}
			if page.Epoch != history.at(page.Next-1) {
				t.Fatalf("next %d: epoch %d", page.Next, page.Epoch)
			}
		}
	}
}

// The leader is asked where the epoch changes, not for every batch.
func TestEpoch_IsAskedForWhereItChanges(t *testing.T) {
	w := given(t)
	one := encoded(t, None, messages("a"))
	var log []byte
	for base := range int64(100) {
		log = append(log, placed(one, base, 7)...)
	}
	asked := w.answers(func(int64) []byte { return log }, past{{7, 0}}, 100)
	page, err := w.fetch(w.fetcher(nil), 0, NoEpoch)
	if err != nil || len(page.Records) != 100 || asked.Load() != 2 {
		t.Fatalf("%v, %d records, asked %d times", err, len(page.Records), asked.Load())
	}
	if _, err = w.fetch(w.fetcher(nil), 50, 7); err != nil || asked.Load() != 2 {
		t.Fatalf("%v, asked %d times", err, asked.Load())
	}
}
