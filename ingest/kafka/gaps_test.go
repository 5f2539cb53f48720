package kafka

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

func TestGap_DeletedRecordsAreRetention(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	for range 5 {
		w.send(p, "a", "b")
	}
	start, err := w.client.DeleteRecords(w.ctx, "t", 0, 6)
	if err != nil || start != 6 {
		t.Fatal(start, err)
	}
	f := w.fetcher(nil)
	_, err = w.fetch(f, 3, NoEpoch)
	want := &domain.GapError{Kind: domain.GapRetention, Topic: "t", TopicID: w.id(), Want: 3, Start: 6, End: 10}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
	if lines, end := w.drain(f, -1); len(lines) != 4 || end != 10 || lines[0] != "6 a" {
		t.Errorf("from the start: %v, %d", lines, end)
	}
	if _, err := w.client.DeleteRecords(w.ctx, "t", 0, -1); err == nil {
		t.Error("everything was deleted by a mistake")
	}
}

func TestGap_ShorterLogIsTruncated(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a", "b")
	f := w.fetcher(nil)
	for i := range confirmations {
		_, err := f.Fetch(w.ctx, 7, NoEpoch)
		var gap *domain.GapError
		if last := i == confirmations-1; Retriable(err) == last || errors.As(err, &gap) != last {
			t.Fatalf("answer %d: %v", i, err)
		} else if last && (gap.Kind != domain.GapTruncated || gap.Want != 7 || gap.Start != 0 || gap.End != 2) {
			t.Errorf("%+v", gap)
		}
	}
}

// A suspicion is forgotten when the log answers.
func TestGap_IsConfirmedInARow(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a")
	f := w.fetcher(nil)
	for range 3 * confirmations {
		for range confirmations - 1 {
			if _, err := f.Fetch(w.ctx, 7, NoEpoch); !Retriable(err) {
				t.Fatal(err)
			}
		}
		if _, err := f.Fetch(w.ctx, 0, NoEpoch); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGap_CutAndGrownLogIsDiverged(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a", "b", "c")
	sent := make(chan int32, 10)
	w.cluster.ControlKey(int16(kmsg.Fetch), func(r kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		q := r.(*kmsg.FetchRequest)
		sent <- q.Topics[0].Partitions[0].LastFetchedEpoch
		a := q.ResponseKind().(*kmsg.FetchResponse)
		p := kmsg.NewFetchResponseTopicPartition()
		p.HighWatermark, p.LastStableOffset, p.LogStartOffset = 9, 9, 1
		p.DivergingEpoch.Epoch, p.DivergingEpoch.EndOffset = 4, 2
		topic := kmsg.NewFetchResponseTopic()
		topic.TopicID = q.Topics[0].TopicID
		topic.Partitions = append(topic.Partitions, p)
		a.Topics = append(a.Topics, topic)
		return a, nil, true
	})
	_, err := w.fetch(w.fetcher(nil), 3, 5)
	var gap *domain.GapError
	if !errors.As(err, &gap) || gap.Kind != domain.GapDiverged || gap.Unknown || gap.Want != 3 || gap.Start != 1 || gap.End != 2 {
		t.Errorf("%v", err)
	}
	if epoch := <-sent; epoch != 5 {
		t.Errorf("epoch %d was sent", epoch)
	}
}

// Apache Kafka has no better word for it than out of range.
func TestGap_UnknownEpochIsDiverged(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a", "b", "c")
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "t", Err: kerr.OffsetOutOfRange, Count: -1})
	f := w.fetcher(nil)
	_, err := w.fetch(f, 2, 9)
	var gap *domain.GapError
	if !errors.As(err, &gap) || gap.Kind != domain.GapDiverged || !gap.Unknown || gap.Want != 2 || gap.End != 3 {
		t.Errorf("%v", err)
	}
	for range 2 * confirmations { // without an epoch it can only be a race
		if _, err := f.Fetch(w.ctx, 2, NoEpoch); !Retriable(err) {
			t.Fatal(err)
		}
	}
}

func TestGap_DeletedTopicAndItsSuccessorAreRecreated(t *testing.T) {
	w := given(t)
	w.send(w.producer(nil), "a")
	f := w.fetcher(nil)
	old := w.id()
	if lines, _ := w.drain(f, 0); len(lines) != 1 {
		t.Fatal(lines)
	}
	recreated := func(id domain.TopicID, end int64) {
		t.Helper()
		for range 3 { // whatever the metadata kept say by then
			_, err := w.fetch(f, 1, 0)
			var gap *domain.GapError
			if !errors.As(err, &gap) || gap.Kind != domain.GapRecreated || gap.TopicID != id || gap.Want != 1 {
				t.Fatalf("%v", err)
			}
		}
		var gap *domain.GapError
		w.must(Persist(w.ctx, func() error { // until the leader is known
			if _, err := w.fetch(f, 1, 0); !errors.As(err, &gap) || gap.End != end {
				return &passing{why: "not yet", err: err}
			}
			return nil
		}))
	}
	w.deleteTopic()
	recreated(domain.TopicID{}, 0)
	w.createTopic(nil)
	if w.id() == old {
		t.Fatal("the topic has its old id")
	}
	w.send(w.producer(nil), "b", "c")
	recreated(w.id(), 2)
}
