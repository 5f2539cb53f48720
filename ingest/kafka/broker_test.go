package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
	apache "github.com/ovation-analytics/ovation/deploy/kafka"
)

// TestMain stops the broker, if a test started it.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		stopBroker()
		os.Exit(code)
	}))
}

var stopBroker = func() {}

// startBroker starts Apache Kafka, once.
var startBroker = sync.OnceValues(func() (address string, err error) {
	dir, err := os.MkdirTemp("", "ovation-kafka-")
	if err != nil {
		return "", err
	}
	b, err := apache.Start(dir)
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	stopBroker = func() { _ = b.Close(); os.RemoveAll(dir) }
	return b.Addr, nil
})

// realBroker gives a harness at the broker that OVATION_TEST_KAFKA names, HOST:PORT, or else
// at Apache Kafka, with topics of its own. Where that cannot run these tests are skipped,
// but never in CI: kfake is the broker in all others.
func realBroker(t *testing.T) *harness {
	t.Helper()
	address := os.Getenv("OVATION_TEST_KAFKA")
	if address == "" {
		var err error
		address, err = startBroker()
		if errors.Is(err, apache.ErrMissing) && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	client, err := New(Config{Brokers: []string{address}, ClientID: "test", MetadataTTL: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	w := &harness{T: t, ctx: ctx, brokers: []string{address}, client: client, topic: fmt.Sprintf("test-%x-", time.Now().UnixNano())}
	w.must(client.Check(ctx))
	return w
}

func TestRealBroker_StampsStoresAndGivesBack(t *testing.T) {
	w := realBroker(t)
	w.createTopic(map[string]string{"message.timestamp.type": "LogAppendTime"})
	f := w.fetcher(nil)
	var want []string
	for i := range 30 {
		p := w.producer(func(c *ProducerConfig) { c.Codec = []Codec{None, LZ4, Zstd}[i%3] })
		at := time.Now().UnixMilli()
		for j := range 3 {
			v := fmt.Sprint(i, ".", j)
			want = append(want, fmt.Sprint(len(want), " ", v))
			_, err := p.Send(w.ctx, []Message{{Key: []byte("k"), Value: []byte(v), TimeMs: 1000, Headers: []Header{{"h", []byte(v)}}}})
			w.must(err)
		}
		page, err := w.fetch(f, int64(3*i), NoEpoch)
		w.must(err)
		r := &page.Records[0]
		if h, ok := r.Header("h"); r.TimeMs < at-1000 || r.TimeMs > at+60_000 || !ok || string(h) != string(r.Value) || string(r.Key) != "k" {
			t.Fatalf("%+v", r)
		}
	}
	got, end := w.drain(f, -1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e, err := w.client.End(w.ctx, w.topic, 0); e != end || err != nil {
		t.Errorf("end %d, read to %d, %v", e, end, err)
	}
	var gap *domain.GapError
	if _, err := w.fetch(f, end, 1000); !errors.As(err, &gap) || gap.Kind != domain.GapDiverged {
		t.Errorf("an epoch that the log does not know: %v", err)
	}
}

func TestRealBroker_KnowsRepeatsBehindTheWrap(t *testing.T) {
	w := realBroker(t)
	w.createTopic(nil)
	p := w.producer(nil)
	w.send(p, "a")
	p.stamp = stamp{producer: p.stamp.producer + 1_000_000, sequence: math.MaxInt32 - 1}
	for range 4 {
		before := p.stamp.sequence
		base := w.send(p, "b", "c", "d")
		p.stamp.sequence = before
		if again := w.send(p, "b", "c", "d"); again != base {
			t.Errorf("sequence %d: stored at %d and again at %d", before, base, again)
		}
	}
	if p.stamp.sequence != 10 {
		t.Errorf("sequence %d", p.stamp.sequence)
	}
	if lines, _ := w.drain(w.fetcher(nil), 0); len(lines) != 13 {
		t.Errorf("%d records: %v", len(lines), lines)
	}
}

func TestRealBroker_DistinguishesGaps(t *testing.T) {
	w := realBroker(t)
	w.createTopic(nil)
	p := w.producer(nil)
	for range 5 {
		w.send(p, "a", "b")
	}
	f := w.fetcher(nil)
	start, err := w.client.DeleteRecords(w.ctx, w.topic, 0, 5)
	if err != nil || start != 5 {
		t.Fatal(start, err)
	}
	var kinds []domain.GapKind
	var gap *domain.GapError
	for _, next := range []int64{2, 50} {
		if _, err := w.fetch(f, next, NoEpoch); errors.As(err, &gap) {
			kinds = append(kinds, gap.Kind)
		} else {
			t.Errorf("from %d: %v", next, err)
		}
	}
	if lines, _ := w.drain(f, -1); len(lines) != 5 || lines[0] != "5 b" {
		t.Errorf("%v", lines)
	}
	w.deleteTopic()
	if _, err := w.fetch(f, 5, NoEpoch); errors.As(err, &gap) {
		kinds = append(kinds, gap.Kind)
	} else {
		t.Error(err)
	}
	w.createTopic(nil)
	if _, err := w.fetch(f, 5, NoEpoch); errors.As(err, &gap) && !gap.TopicID.IsZero() {
		kinds = append(kinds, gap.Kind)
	} else {
		t.Error(err)
	}
	if !slices.Equal(kinds, []domain.GapKind{domain.GapRetention, domain.GapTruncated, domain.GapRecreated, domain.GapRecreated}) {
		t.Errorf("%v", kinds)
	}
}

func TestRealBroker_KeepsGroupOffsets(t *testing.T) {
	w := realBroker(t)
	w.createTopic(nil)
	group := w.topic + "group"
	get := func() (o []GroupOffset) {
		w.must(Persist(w.ctx, func() (err error) {
			o, err = w.client.CommittedOffsets(w.ctx, group, w.topic, []int{0})
			return err
		}))
		return o
	}
	if diff := cmp.Diff([]GroupOffset{{0, -1, NoEpoch, ""}}, get()); diff != "" {
		t.Error(diff)
	}
	want := []GroupOffset{{0, 42, 3, "id/3"}}
	w.must(Persist(w.ctx, func() error { return w.client.CommitOffsets(w.ctx, group, w.topic, want) }))
	if diff := cmp.Diff(want, get()); diff != "" {
		t.Error(diff)
	}
}

// Transactions on a topic that is really compacted: what Kafka's cleaner leaves of
// them, emptied batches and markers whose records are gone, is read as franz-go reads it.
func TestRealBroker_CompactedTopicEqualsFranzGo(t *testing.T) {
	w := realBroker(t)
	w.createTopic(map[string]string{
		"cleanup.policy": "compact", "segment.ms": "200", "min.cleanable.dirty.ratio": "0.01", "max.compaction.lag.ms": "500", "delete.retention.ms": "100",
	})
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w.transact(r, 120)
	f := w.fetcher(func(c *FetchConfig) { c.MaxBytes = 3000 })
	var (
		b   Backoff
		end int64
	)
	for {
		w.must(b.Wait(w.ctx))
		w.transact(r, 2) // the newest segment is never cleaned
		after, now := w.drain(f, 0)
		if end = now; int64(len(after)) < end/8 { // of 8 keys; the cleaner may have begun before this loop
			t.Logf("%d records are left of %d offsets", len(after), end)
			break
		}
	}
	for from := int64(0); from < end; from += 1 + r.Int64N(end/20) {
		for { // until the cleaner did nothing between
			got, last := w.drain(f, from)
			want := w.peer(from, last)
			if again, _ := w.drain(f, from); !slices.Equal(got, again) {
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("from %d: %s", from, diff)
			}
			break
		}
	}
}
