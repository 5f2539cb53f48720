package wire_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/broker/wire"
)

// fetchRequest asks for partitions of a topic, from the offsets given.
func fetchRequest(topic string, id [16]byte, offsets ...int64) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.SessionEpoch = 0, 1, -1
	q := kmsg.NewFetchRequestTopic()
	q.Topic, q.TopicID = topic, id
	for i, o := range offsets {
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = int32(i), o, 1<<20
		q.Partitions = append(q.Partitions, p)
	}
	req.Topics = append(req.Topics, q)
	return req
}

func fetchOne(w *peer, req *kmsg.FetchRequest, version int16) kmsg.FetchResponseTopicPartition {
	w.t.Helper()
	return ask[*kmsg.FetchResponse](w, req, version).Topics[0].Partitions[0]
}

func (r *harness) append(id [16]byte, partition int32, values ...string) {
	r.t.Helper()
	_, _, done, err := r.partition(id, partition).Append(batchOf(values...))
	if err == nil {
		err = done.Wait()
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func TestFetch_TopicByIDFromVersion13(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	r.append(id, 0, "a", "b")
	w := r.dial()
	for version := int16(4); version <= 13; version++ {
		rp := fetchOne(w, fetchRequest("t", id, 0), version)
		if rp.ErrorCode != 0 || rp.HighWatermark != 2 || rp.LastStableOffset != 2 || len(rp.RecordBatches) == 0 {
			t.Fatalf("version %d: %+v", version, rp)
		}
	}
	if rp := fetchOne(w, fetchRequest("t", [16]byte{1}, 0), 13); rp.ErrorCode != 100 || rp.HighWatermark != -1 {
		t.Fatalf("%+v", rp)
	}
	if err := r.log.Topics.Delete(id); err != nil {
		t.Fatal(err)
	}
	r.create("t", 1) // re-created: the old id is another topic's
	if rp := fetchOne(w, fetchRequest("t", id, 0), 13); rp.ErrorCode != 100 {
		t.Fatalf("%+v", rp)
	}
}

func TestFetch_SessionsAreNotKept(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	w := r.dial()
	req := fetchRequest("t", id, 0)
	req.SessionEpoch = 0 // asks for a session
	if rs := ask[*kmsg.FetchResponse](w, req, 12); rs.ErrorCode != 0 || rs.SessionID != 0 {
		t.Fatalf("%+v", rs)
	}
	req.SessionEpoch = 1
	if rs := ask[*kmsg.FetchResponse](w, req, 12); rs.ErrorCode != 71 {
		t.Fatalf("%+v", rs)
	}
	req.SessionID = 5
	if rs := ask[*kmsg.FetchResponse](w, req, 12); rs.ErrorCode != 70 {
		t.Fatalf("%+v", rs)
	}
}

func TestFetch_WaitsForMinBytes(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 2)
	size := len(batchOf("0123456789"))
	w := r.dial()
	req := fetchRequest("t", id, 0, 0)
	if rp := fetchOne(w, req, 12); rp.ErrorCode != 0 || len(rp.RecordBatches) != 0 || rp.RecordBatches == nil {
		t.Fatalf("%+v", rp) // MaxWait 0: empty at once
	}
	req.MaxWaitMillis, req.MinBytes = 20_000, int32(3*size)
	c := w.send(req, 12)
	for i := range 3 { // the answer needs all three
		r.append(id, int32(i%2), "0123456789")
	}
	rs := w.receive(req, c).(*kmsg.FetchResponse)
	a, b := rs.Topics[0].Partitions[0], rs.Topics[0].Partitions[1]
	if len(a.RecordBatches) != 2*size || len(b.RecordBatches) != size || a.HighWatermark != 2 || b.HighWatermark != 1 {
		t.Fatalf("%d and %d bytes, up to %d and %d", len(a.RecordBatches), len(b.RecordBatches), a.HighWatermark, b.HighWatermark)
	}
	// Wait that is over gives what there is.
	req.MaxWaitMillis, req.MinBytes = 1, 1<<20
	if rp := fetchOne(w, req, 12); len(rp.RecordBatches) != 2*size {
		t.Fatalf("%d bytes", len(rp.RecordBatches))
	}
	// An error is answered at once.
	req.MaxWaitMillis = 20_000
	req.Topics[0].Partitions[0].FetchOffset = 99
	if rp := fetchOne(w, req, 12); rp.ErrorCode != 1 {
		t.Fatalf("%+v", rp)
	}
	// A topic that goes while its end is waited for ends the wait.
	waiting := fetchRequest("", id, 2)
	waiting.MaxWaitMillis = 50
	c = w.send(waiting, 13)
	if err := r.log.Topics.Delete(id); err != nil {
		t.Fatal(err)
	}
	other := r.dial()
	if rp := fetchOne(other, fetchRequest("t", id, 0), 13); rp.ErrorCode != 100 {
		t.Fatalf("%+v", rp)
	}
	w.receive(waiting, c)
}

func TestFetch_LimitsBytesAfterTheFirstBatch(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 3)
	size := len(batchOf("0123456789"))
	for i := range 12 {
		r.append(id, int32(i%3), "0123456789")
	}
	for _, c := range []struct {
		name            string
		max, partition  int
		a, b, c, offset int // batches
	}{
		{"nothing is too little", 0, 0, 1, 0, 0, 0},
		{"all", 1 << 20, 1 << 20, 4, 4, 4, 0},
		{"by partition", 1 << 20, 2*size + 1, 2, 2, 2, 0},
		{"by request", 6 * size, 1 << 20, 4, 2, 0, 0},
		{"by request and partition", 4*size + 1, 3 * size, 3, 1, 0, 0},
		{"from an offset", 1 << 20, 1 << 20, 1, 4, 4, 3},
		{"from the end", 0, 0, 0, 1, 0, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := fetchRequest("t", id, int64(c.offset), 0, 0)
			req.MaxBytes = int32(c.max)
			for i := range req.Topics[0].Partitions {
				req.Topics[0].Partitions[i].PartitionMaxBytes = int32(c.partition)
			}
			ps := ask[*kmsg.FetchResponse](r.dial(), req, 11).Topics[0].Partitions
			got := fmt.Sprint(len(ps[0].RecordBatches)/size, len(ps[1].RecordBatches)/size, len(ps[2].RecordBatches)/size)
			if want := fmt.Sprint(c.a, c.b, c.c); got != want {
				t.Fatalf("batches %s, want %s", got, want)
			}
		})
	}
}

// diverged is a log that was restored from a copy: of the five records that a reader
// had seen in the old epoch the last two are others now.
func diverged(t *testing.T) (r *harness, id [16]byte, old int32) {
	t.Helper()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func(_ *wire.Config, o *log.Options) { o.Now = func() time.Time { return now } }
	r = newHarness(t, clock)
	id = r.create("t", 1)
	r.append(id, 0, "a", "b", "c")
	backup := r.fs.CrashClone(vfs.CrashCloneCfg{})
	r.append(id, 0, "d", "e")
	old = r.log.Epoch()
	now = now.Add(time.Hour)
	r = harnessOn(t, backup, clock)
	r.append(id, 0, "x", "y", "z")
	return r, id, old
}

func TestFetch_FencesByEpochAndReportsDivergence(t *testing.T) {
	r, id, old := diverged(t)
	w := r.dial()
	fetch := func(offset int64, current, last int32) kmsg.FetchResponseTopicPartition {
		req := fetchRequest("t", id, offset)
		req.Topics[0].Partitions[0].CurrentLeaderEpoch, req.Topics[0].Partitions[0].LastFetchedEpoch = current, last
		return fetchOne(w, req, 13)
	}
	if rp := fetch(5, -1, old); rp.ErrorCode != 0 || rp.DivergingEpoch.Epoch != old || rp.DivergingEpoch.EndOffset != 3 || len(rp.RecordBatches) > 0 {
		t.Fatalf("%+v", rp)
	}
	// An epoch between the two, which this log never had.
	if rp := fetch(3, -1, old+1); rp.DivergingEpoch.Epoch != old || rp.DivergingEpoch.EndOffset != 3 {
		t.Fatalf("%+v", rp)
	}
	if rp := fetch(3, r.log.Epoch(), old); rp.DivergingEpoch.EndOffset != -1 || len(rp.RecordBatches) == 0 {
		t.Fatalf("%+v", rp)
	}
	if rp := fetch(6, -1, r.log.Epoch()); rp.DivergingEpoch.EndOffset != -1 || rp.ErrorCode != 0 {
		t.Fatalf("%+v", rp)
	}
	if rp := fetch(3, -1, r.log.Epoch()+1); rp.ErrorCode != 1 || rp.DivergingEpoch.EndOffset != -1 {
		t.Fatalf("%+v", rp)
	}
	if rp := fetch(3, old, -1); rp.ErrorCode != 74 {
		t.Fatalf("%+v", rp)
	}
	if rp := fetch(3, r.log.Epoch()+1, -1); rp.ErrorCode != 75 {
		t.Fatalf("%+v", rp)
	}
}

func TestOffsets_EndOfAnEpoch(t *testing.T) {
	r, _, old := diverged(t)
	w := r.dial()
	endsOf := func(topic string, partition, current, epoch int32) kmsg.OffsetForLeaderEpochResponseTopicPartition {
		req := kmsg.NewPtrOffsetForLeaderEpochRequest()
		q, p := kmsg.NewOffsetForLeaderEpochRequestTopic(), kmsg.NewOffsetForLeaderEpochRequestTopicPartition()
		q.Topic, p.Partition, p.CurrentLeaderEpoch, p.LeaderEpoch = topic, partition, current, epoch
		q.Partitions = append(q.Partitions, p)
		req.Topics = append(req.Topics, q)
		return ask[*kmsg.OffsetForLeaderEpochResponse](w, req, 4).Topics[0].Partitions[0]
	}
	ends := func(current, epoch int32) kmsg.OffsetForLeaderEpochResponseTopicPartition {
		return endsOf("t", 0, current, epoch)
	}
	if rp := ends(-1, old); rp.ErrorCode != 0 || rp.LeaderEpoch != old || rp.EndOffset != 3 {
		t.Fatalf("%+v", rp)
	}
	if rp := ends(-1, r.log.Epoch()); rp.LeaderEpoch != r.log.Epoch() || rp.EndOffset != 6 {
		t.Fatalf("%+v", rp)
	}
	if rp := ends(-1, r.log.Epoch()+9); rp.ErrorCode != 0 || rp.LeaderEpoch != -1 || rp.EndOffset != -1 {
		t.Fatalf("%+v", rp)
	}
	if rp := ends(old, old); rp.ErrorCode != 74 {
		t.Fatalf("%+v", rp)
	}
	for _, rp := range []kmsg.OffsetForLeaderEpochResponseTopicPartition{endsOf("nowhere", 0, -1, old), endsOf("t", 7, -1, old)} {
		if rp.ErrorCode != 3 || rp.LeaderEpoch != -1 || rp.EndOffset != -1 {
			t.Fatalf("%+v", rp)
		}
	}
}

func TestOffsets_ListGivesTheEpoch(t *testing.T) {
	r, _, old := diverged(t)
	req := kmsg.NewPtrListOffsetsRequest()
	q := kmsg.NewListOffsetsRequestTopic()
	q.Topic = "t"
	for _, ms := range []int64{-2, -1, -3} {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Timestamp = ms
		q.Partitions = append(q.Partitions, p)
	}
	req.Topics = append(req.Topics, q)
	ps := ask[*kmsg.ListOffsetsResponse](r.dial(), req, 6).Topics[0].Partitions
	if ps[0].LeaderEpoch != old || ps[1].LeaderEpoch != r.log.Epoch() || ps[2].ErrorCode != 35 {
		t.Fatalf("%+v", ps)
	}
}

// A consumer reads on while everything before it is deleted and the log is restarted.
func TestFetch_ConsumerContinuesAfterDeletionAndRestart(t *testing.T) {
	r := newHarness(t)
	id := r.create("t", 1)
	ctx := testContext(t)
	c := r.client(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart()}}),
		kgo.RetryBackoffFn(func(int) time.Duration { return 5 * time.Millisecond }))
	var got []string
	for i := range 4 {
		r.append(id, 0, fmt.Sprint(i), "x")
		for len(got) < 2*(i+1) {
			if ctx.Err() != nil {
				t.Fatal(ctx.Err())
			}
			c.PollFetches(ctx).EachRecord(func(rec *kgo.Record) { got = append(got, string(rec.Value)) })
		}
		if _, err := r.partition(id, 0).DeleteRecords(-1); err != nil {
			t.Fatal(err)
		}
		addr := r.addr
		r.stop()
		r = harnessOn(t, r.fs, func(cfg *wire.Config, _ *log.Options) { cfg.Listen = addr })
	}
	if want := "0 x 1 x 2 x 3 x"; strings.Join(got, " ") != want {
		t.Fatal(got)
	}
}
