package kafka

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestGroups_KeepOffsetsWithMetadata(t *testing.T) {
	w := given(t, kfake.NumBrokers(3), kfake.SeedTopics(4, "t"))
	none := []GroupOffset{{2, -1, NoEpoch, ""}, {0, -1, NoEpoch, ""}}
	get := func(want []GroupOffset) {
		t.Helper()
		var got []GroupOffset
		w.must(Persist(w.ctx, func() (err error) {
			got, err = w.client.CommittedOffsets(w.ctx, "router-1", "t", []int{2, 0})
			return err
		}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	get(none)
	w.must(w.client.CommitOffsets(w.ctx, "router-1", "t", []GroupOffset{{0, 7, 3, "id/3"}, {2, 9, NoEpoch, ""}}))
	get([]GroupOffset{{2, 9, NoEpoch, ""}, {0, 7, 3, "id/3"}})
	w.must(w.client.CommitOffsets(w.ctx, "router-1", "t", []GroupOffset{{0, 5, 4, "back"}}))
	get([]GroupOffset{{2, 9, NoEpoch, ""}, {0, 5, 4, "back"}})
	if o, err := w.client.CommittedOffsets(w.ctx, "another", "t", []int{0}); err != nil || o[0].Next != -1 {
		t.Error(o, err)
	}
	if err := w.client.CommitOffsets(w.ctx, "", "t", nil); err == nil {
		t.Error("a group without a name")
	}
}

func TestGroups_FindACoordinatorThatMoves(t *testing.T) {
	w := given(t, kfake.NumBrokers(3), kfake.SeedTopics(1, "t"))
	commit := func() error {
		return w.client.CommitOffsets(w.ctx, "g", "t", []GroupOffset{{0, 1, NoEpoch, "m"}})
	}
	w.must(Persist(w.ctx, commit))
	first, ok := w.client.coordinators.Load("g")
	if !ok {
		t.Fatal("the coordinator is not remembered")
	}
	// Remembered wrongly, it is found again at the second attempt.
	w.client.coordinators.Store("g", (first.(int32)+1)%3)
	if err := commit(); !Retriable(err) || !errors.Is(err, kafkago.NotCoordinatorForGroup) {
		t.Fatal(err)
	}
	w.must(commit())
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Group: "g", Err: kerr.UnknownMemberID})
	if err := commit(); Retriable(err) || !errors.Is(err, kafkago.UnknownMemberId) {
		t.Fatal("a group with members:", err)
	}
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: "g", Err: kerr.CoordinatorLoadInProgress})
	if _, err := w.client.CommittedOffsets(w.ctx, "g", "t", []int{0}); !Retriable(err) {
		t.Fatal(err)
	}
}

func TestClient_FindsOffsetsByTime(t *testing.T) {
	w := given(t)
	p := w.producer(nil)
	for i := range 5 {
		_, err := p.Send(w.ctx, []Message{{TimeMs: int64(1000 * (i + 1))}})
		w.must(err)
	}
	for ms, want := range map[int64]int64{0: 0, 1000: 0, 1001: 1, 5000: 4, 5001: 5} {
		if got, err := w.client.At(w.ctx, "t", 0, ms); got != want || err != nil {
			t.Errorf("at %d: %d, %v", ms, got, err)
		}
	}
	if _, err := w.client.At(w.ctx, "t", 0, -1); err == nil {
		t.Error("a time before 1970")
	}
	start, err := w.client.Start(w.ctx, "t", 0)
	if start != 0 || err != nil {
		t.Error(start, err)
	}
	if _, err := w.client.End(w.ctx, "t", 9); !errors.Is(err, kafkago.UnknownTopicOrPartition) {
		t.Error(err)
	}
}
