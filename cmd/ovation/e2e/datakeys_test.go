package e2e

import (
	"bytes"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

// Apache Kafka makes the topic of data keys as it must be, takes keys and gives them back.
func TestDataKeys_TopicOnApacheKafka(t *testing.T) {
	t.Parallel()
	b := onKafka(t).apache
	client, err := kafka.New(kafka.Config{Brokers: []string{b.Addr}, ClientID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	prefix := newPrefix()
	for range 2 {
		made, err := topics.Ensure(ctx(t), client, []topics.Spec{topics.Keys(prefix)})
		if err != nil || len(made.Problems) > 0 {
			t.Fatalf("%+v %v", made, err)
		}
	}
	l, err := ingest.OpenKeyLog(ctx(t), client, prefix+kafka.Keys)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	var keys []domain.WrappedKey
	for i := range n {
		keys = append(keys, domain.WrappedKey{ID: domain.KeyID{byte(i), byte(i >> 8), 1}, Wrapped: bytes.Repeat([]byte{byte(i)}, 61)})
	}
	for from := 0; from < n; from += n / 3 {
		next, err := l.Append(ctx(t), keys[from:from+n/3])
		if err != nil || next != int64(from+n/3) {
			t.Fatalf("%d %v", next, err)
		}
	}
	var got []domain.WrappedKey
	for next, epoch := int64(-1), kafka.NoEpoch; next < n; {
		p, err := l.Read(ctx(t), next, epoch)
		if kafka.Retriable(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Keys...)
		next, epoch = p.Next, p.Epoch
	}
	if len(got) != n {
		t.Fatalf("%d of %d keys", len(got), n)
	}
	for i := range got {
		if got[i].ID != keys[i].ID || !bytes.Equal(got[i].Wrapped, keys[i].Wrapped) {
			t.Fatalf("key %d is %s", i, got[i].ID)
		}
	}
}
