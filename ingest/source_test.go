package ingest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// anyMessage is what a client may publish: plain or with headers of an event, whole or cut off.
func anyMessage(r *rand.Rand) kafka.Message {
	value := fmt.Sprintf(`{"id":"%d","source":"s","account":1,"service":"spotify","serviceUserID":"%d","activityID":100}`, r.Int(), r.IntN(50))
	m := kafka.Message{Key: []byte("any"), Value: []byte(value), TimeMs: 1_700_000_000_000}
	if r.IntN(2) == 0 {
		m.Headers = []kafka.Header{
			{Key: "ce_specversion", Value: []byte("1.0")},
			{Key: "ce_type", Value: []byte(activity.EventType)},
			{Key: "ce_id", Value: []byte(strconv.Itoa(r.Int()))},
			{Key: "ce_source", Value: []byte("s")},
		}
	}
	if r.IntN(3) == 0 {
		m.Value = m.Value[:r.IntN(len(value))]
	}
	return m
}

// decoded is what a message is decoded to.
func decoded(t *testing.T, m kafka.Message, from domain.Origin) (a domain.Arrival) {
	a.Slot = activity.NewDecoder(testHasher(t), &activity.Stats{}).Decode(&a.Record, activity.Incoming{
		Topic: from.Topic, Partition: from.Partition, Epoch: from.Epoch, Offset: from.Offset, TimeMs: m.TimeMs, Value: m.Value,
		Headers: func(yield func(k, v []byte)) {
			for _, h := range m.Headers {
				yield([]byte(h.Key), h.Value)
			}
		},
	})
	return a
}

// I2: what a source gives, it gives with the same origin and place whenever it is
// read, whatever it is.
func TestI2_ASourceGivesEveryRecordWithItsOriginAndPlace(t *testing.T) {
	w := given(t, "activities")
	s := w.source("activities")
	r := rand.New(rand.NewPCG(8, 1))
	var sent []kafka.Message
	for range 300 {
		sent = append(sent, anyMessage(r))
	}
	for batch := range kafka.Split(sent, 64<<10) {
		w.send("activities", 1, batch...)
	}
	for range 2 {
		reader := s.Reader(1)
		next, epoch, n := int64(-1), kafka.NoEpoch, 0
		for n < len(sent) {
			p, err := reader.Read(w.ctx, next, epoch, nil)
			w.must(err)
			for _, got := range p.Arrivals {
				from := domain.Origin{Topic: s.Topic(), Partition: 1, Epoch: got.Record.Origin.Epoch, Offset: int64(n)}
				if diff := cmp.Diff(decoded(t, sent[n], from), got); diff != "" {
					t.Fatalf("record %d: (-want +got)\n%s", n, diff)
				}
				n++
			}
			next, epoch = p.Next, p.Epoch
			if p.End != int64(len(sent)) {
				t.Fatalf("end %d", p.End)
			}
		}
	}
	if n := s.stats.Decoded(); n != uint64(2*len(sent)) {
		t.Errorf("%d decoded", n)
	}
}

func TestSource_CommitsAnOffsetOfATopic(t *testing.T) {
	w := given(t, "activities")
	s := w.source("activities")
	if n, err := s.Partitions(w.ctx); n != 2 || err != nil {
		t.Fatalf("%d partitions, %v", n, err)
	}
	committed := func(s *Source, partition int) (next int64, epoch int32, ok bool, err error) {
		err = kafka.Persist(w.ctx, func() error {
			next, epoch, ok, err = s.Committed(w.ctx, partition)
			return err
		})
		return next, epoch, ok, err
	}
	if _, _, ok, err := committed(s, 0); ok || err != nil {
		t.Fatalf("an offset before any was kept: %v", err)
	}
	w.must(kafka.Persist(w.ctx, func() error { return s.Commit(w.ctx, 0, domain.Routed{Next: 41, Epoch: 5, Topic: s.Topic()}) }))
	next, epoch, ok, err := committed(s, 0)
	if next != 41 || epoch != 5 || !ok || err != nil {
		t.Fatalf("%d %d %v %v", next, epoch, ok, err)
	}
	if _, _, ok, err := committed(s, 1); ok || err != nil {
		t.Errorf("an offset of another partition: %v", err)
	}
	by := domain.Routed{Next: 42, Epoch: 5, Topic: s.Topic(), Node: domain.NodeID{1, 2}, Counter: 7, Ended: true}
	w.must(kafka.Persist(w.ctx, func() error { return s.Commit(w.ctx, 0, by) }))
	var kept []domain.Routed
	w.must(kafka.Persist(w.ctx, func() (err error) { kept, err = s.Kept(w.ctx, []int{0, 1}); return err }))
	if kept[0] != by || kept[1].Next >= 0 {
		t.Errorf("kept %+v", kept)
	}
	other, err := OpenSource(w.ctx, w.client, SourceConfig{Topic: "activities", Journal: domain.TopicID{8}, Hasher: testHasher(t), Stats: &activity.Stats{}})
	w.must(err)
	if _, _, ok, err := committed(other, 0); ok || err != nil {
		t.Errorf("an offset of another journal: %v", err)
	}
	begins, node := "3 "+s.id.String(), domain.NodeID{1}.String()
	for _, strange := range []string{
		"", "another's", "1 x 3", "2 " + s.id.String() + " 5 " + node + " 1", begins + " x " + node + " 1 true", begins + " 5 " + node + " 1 perhaps", begins + " 5",
	} {
		w.must(w.client.CommitOffsets(w.ctx, s.group, "activities", []kafka.GroupOffset{{Partition: 1, Next: 9, Epoch: 1, Metadata: strange}}))
		if _, _, ok, err := committed(s, 1); ok || err != nil {
			t.Errorf("metadata %q: %v %v", strange, ok, err)
		}
	}
}

func TestSource_RecreatedTopicIsAGap(t *testing.T) {
	w := given(t, "activities", "other")
	s := w.source("activities")
	// The offsets of a group may go with the topic: keep them as they would be if they
	// had stayed.
	w.recreate("activities")
	var gap *domain.GapError
	err := kafka.Persist(w.ctx, func() error { _, err := s.Partitions(w.ctx); return err })
	if !errors.As(err, &gap) || gap.Kind != domain.GapRecreated || gap.TopicID == s.Topic() {
		t.Errorf("partitions: %v", err)
	}
	now := w.source("activities")
	w.must(w.client.CommitOffsets(w.ctx, now.group, "activities", []kafka.GroupOffset{{Partition: 0, Next: 41, Epoch: 5, Metadata: mark(&domain.Routed{Topic: s.id, Epoch: 5})}}))
	_, _, ok, err := now.Committed(w.ctx, 0)
	if !errors.As(err, &gap) || ok || gap.Kind != domain.GapRecreated || gap.Want != 41 || gap.TopicID != now.Topic() || gap.Partition != 0 {
		t.Errorf("committed: %v %v", ok, err)
	}
	reader := s.Reader(0)
	for {
		if _, err = reader.Read(w.ctx, 41, 0, nil); errors.As(err, &gap) {
			break
		} else if w.ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	if gap.Kind != domain.GapRecreated {
		t.Errorf("read: %v", err)
	}
}

// A topic that was made again while the source was open: each partition is read of the topic that
// it was read of until its own Committed names the new one, so that no offset is of two topics.
func TestSource_RecreatedTopicPartitionByPartition(t *testing.T) {
	w := given(t, "activities")
	s := w.source("activities")
	before := s.Topic()
	w.must(kafka.Persist(w.ctx, func() error { return s.Commit(w.ctx, 0, domain.Routed{Next: 41, Epoch: 5, Topic: s.Topic()}) }))
	w.recreate("activities")
	after := w.source("activities").Topic()
	if after == before {
		t.Fatal("the topic is the same")
	}
	committed := func(partition int) (gap *domain.GapError) {
		t.Helper()
		err := kafka.Persist(w.ctx, func() error { _, _, _, err := s.Committed(w.ctx, partition); return err })
		if err != nil && !errors.As(err, &gap) {
			t.Fatal(err)
		}
		return gap
	}
	// The group's offsets may go with the topic: they are put back as they were.
	w.must(w.client.CommitOffsets(w.ctx, s.group, "activities", []kafka.GroupOffset{
		{Partition: 0, Next: 41, Epoch: 5, Metadata: mark(&domain.Routed{Topic: before, Epoch: 5})},
	}))
	if gap := committed(0); gap == nil || gap.Kind != domain.GapRecreated || gap.Want != 41 || gap.TopicID != after {
		t.Errorf("partition 0: %+v", gap)
	}
	if s.Topic() != after || s.of(0) != after || s.of(1) != before {
		t.Errorf("%s, partitions of %s and %s; the topics are %s and %s", s.Topic(), s.of(0), s.of(1), before, after)
	}
	if gap := committed(1); gap != nil || s.of(1) != after {
		t.Errorf("partition 1: %v, of %s", gap, s.of(1))
	}
}

// Any program may have written the metadata of a group offset.
func FuzzOffsetMetadata_AnyText(f *testing.F) {
	f.Add(mark(&domain.Routed{Topic: domain.TopicID{1, 2, 3}, Epoch: 7, Node: domain.NodeID{4}, Counter: 1 << 63, Ended: true}))
	f.Add("1 a -1")
	f.Add("3 a 1 b 1 true")
	f.Add("3  99999999999  1 ")
	f.Fuzz(func(t *testing.T, s string) {
		at := routed(&kafka.GroupOffset{Next: 41, Metadata: s})
		if at.Next < 0 {
			return
		}
		if again := routed(&kafka.GroupOffset{Next: 41, Metadata: mark(&at)}); again != at {
			t.Fatalf("%q: %+v, and again %+v", s, at, again)
		}
	})
}
