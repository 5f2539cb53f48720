package ingest

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// damage has the broker give, for every fetch from offset 4 of partition 0, a batch of two records
// of which one bit is another than when it was written.
func (w *harness) damage() {
	batch := batchtest.Batch(1_700_000_000_000, []byte(`{"id":"a"}`), []byte(`{"id":"b"}`))
	h := recordbatch.Parse(batch)
	h.Base, h.Epoch = 4, 0
	h.Put(batch)
	batch[len(batch)-3] ^= 1
	w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		q := r.(*kmsg.FetchRequest)
		if len(q.Topics) == 0 || q.Topics[0].Partitions[0].FetchOffset != 4 {
			return nil, nil, false
		}
		a := q.ResponseKind().(*kmsg.FetchResponse)
		part := kmsg.NewFetchResponseTopicPartition()
		part.HighWatermark, part.LastStableOffset = 7, 7
		part.RecordBatches = slices.Clone(batch)
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic, topic.TopicID = q.Topics[0].Topic, q.Topics[0].TopicID
		topic.Partitions = append(topic.Partitions, part)
		a.Topics = append(a.Topics, topic)
		return a, nil, true
	})
}

// corruptAt4 is the gap of a log whose records 4 and 5 are damaged.
func corruptAt4(topic string, id domain.TopicID) *domain.GapError {
	return &domain.GapError{Kind: domain.GapCorrupt, Topic: topic, TopicID: id, Want: 4, Start: 4, End: 6}
}

// sameGap compares gaps but for their words, which must be some.
func (w *harness) sameGap(want *domain.GapError, err error) {
	w.Helper()
	var got *domain.GapError
	if !errors.As(err, &got) {
		w.Fatalf("no gap: %v", err)
	}
	var corrupt *domain.CorruptError
	if got.Detail == "" || !errors.As(got.Err, &corrupt) {
		w.Errorf("the gap does not say why: %+v", got)
	}
	bare := *got
	bare.Detail, bare.Err = "", nil
	if d := cmp.Diff(want, &bare); d != "" {
		w.Error(d)
	}
}

// A damaged batch of the journal, and of the data keys, is a gap over its offsets.
func TestReader_CorruptBatchIsAGap(t *testing.T) {
	w := given(t, "journal")
	keys := w.keyLog()
	w.damage()
	l := w.log("journal")
	_, err := l.Reader(0).Read(w.ctx, 4, 0, nil)
	w.sameGap(corruptAt4("journal", l.Topic()), err)
	_, err = keys.Read(w.ctx, 4, 0)
	w.sameGap(corruptAt4(kafka.Keys, keys.Topic()), err)
}

// A damaged batch of the public topic is one arrival, refused as corrupt, at its first offset and at
// the place of what has no address; reading continues after the batch.
func TestSource_CorruptBatchIsOneRefusedArrival(t *testing.T) {
	w := given(t, "activities")
	s := w.source("activities")
	w.damage()
	for range 2 { // it is the same whenever it is read (I2)
		p, err := s.Reader(0).Read(w.ctx, 4, 0, nil)
		w.must(err)
		if p.Next != 6 || len(p.Arrivals) != 1 {
			t.Fatalf("%+v", p)
		}
		a := p.Arrivals[0]
		if a.Record.Activity.Detail == "" {
			t.Error("the arrival does not say what is damaged")
		}
		a.Record.Activity.Detail = ""
		want := domain.Arrival{
			Record: domain.Record{
				Kind: domain.KindActivity, Origin: domain.Origin{Topic: s.Topic(), Epoch: p.Epoch, Offset: 4},
				Activity: domain.Activity{Refusal: domain.Corrupt},
			},
			Slot: domain.Placeless(s.Topic(), 0),
		}
		if d := cmp.Diff(want, a); d != "" {
			t.Error(d)
		}
	}
}

// A dead letter whose original is damaged is published without it.
func TestDeadLetters_CorruptOriginal(t *testing.T) {
	w := given(t, "activities", "dlq")
	s := w.source("activities")
	w.damage()
	letter := domain.DeadLetter{Origin: domain.Origin{Topic: s.Topic(), Offset: 4}, Reason: domain.Corrupt, Detail: "crc"}
	w.must(w.deadLetters(s).Publish(w.ctx, []domain.DeadLetter{letter}))
	got := w.published("dlq")
	if len(got) != 1 || got[0].Value != nil || header(got[0], HeaderDetail) != "crc; the original is no longer in the log" {
		t.Errorf("%+v", got)
	}
}
