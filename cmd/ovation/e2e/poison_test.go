package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	brokerlog "github.com/ovation-analytics/ovation/ingest/broker/log"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// strays are ten values of another program: text, nothing, a tombstone, JSON that is no
// activity, bytes that are no text, and the beginning of a record of ours.
func strays() [][]byte {
	return [][]byte{
		[]byte("hello"), {}, nil, []byte(`{"a":1}`), []byte(`[]`), {0xff, 0xfe}, []byte("\xf7OV"), []byte("OVR\x00"), {0}, []byte("hello"),
	}
}

// refusedStrays is how many of them are no activity.
const refusedStrays = 10

// poison produces the strays in a row to partition 0 of a topic, by a client that has not
// authenticated, half of them in one batch.
func (h *topicFixture) poison(topic string) error {
	h.Helper()
	var records []*kgo.Record
	for _, v := range strays() {
		records = append(records, &kgo.Record{Topic: h.n.Prefix + topic, Partition: 0, Value: v})
	}
	if err := h.kgo.ProduceSync(ctx(h), records[:5]...).FirstErr(); err != nil {
		return err
	}
	for _, r := range records[5:] {
		if err := h.kgo.ProduceSync(ctx(h), r).FirstErr(); err != nil {
			return err
		}
	}
	return nil
}

// poisonStopped writes the strays into the embedded log of a node that is stopped.
func (h *topicFixture) poisonStopped(topics ...string) {
	h.Helper()
	log, err := brokerlog.Open(filepath.Join(h.n.Data, "log"), brokerlog.Options{})
	h.must(err)
	for _, name := range topics {
		topic, ok := log.Topics.ByName(name)
		if !ok {
			h.Fatalf("the log has no topic %s", name)
		}
		partition, err := log.Topics.Partition(topic.ID, 0)
		h.must(err)
		_, _, done, err := partition.Append(batchtest.Batch(time.Now().UnixMilli(), strays()...))
		h.must(err)
		h.must(done.Wait())
	}
	h.must(log.Close())
}

// Ten values of another program in a row in each topic, while the node runs and while it
// is stopped, stop nothing and change no count: those of the public topic are dead letters,
// those of the journal and the catalog are passed over and counted, now and in every replay.
// The embedded log takes none of them for the journal and the catalog from a client.
func TestPoison_StraysInEveryTopic(t *testing.T) {
	t.Parallel()
	onBothLogs(t, poisoned)
}

func poisoned(t *testing.T, on site) {
	h := newTopicFixture(t, on.start(t, "--shards", "2"))
	h.publish(60, false)
	h.counted()

	foreign := int64(refusedStrays)
	for _, topic := range []string{kafka.Activities, kafka.DeadLetters} {
		h.must(h.poison(topic))
	}
	for _, topic := range []string{kafka.Journal, kafka.Catalog} {
		err := h.poison(topic)
		switch {
		case on.apache != nil:
			h.must(err)
		case err != kerr.TopicAuthorizationFailed: //nolint:errorlint // as the client gives it
			t.Errorf("a client's records for %s: %v", topic, err)
		}
	}
	if on.apache == nil {
		foreign = 0
	}
	h.publish(20, false)
	h.wellPoisoned(refusedStrays, foreign, foreign)

	h.n.Stop()
	if on.apache == nil {
		h.poisonStopped(kafka.Activities, kafka.Journal, kafka.Catalog, kafka.DeadLetters)
	} else {
		for _, topic := range []string{kafka.Activities, kafka.Journal, kafka.Catalog, kafka.DeadLetters} {
			h.must(h.poison(topic))
		}
	}
	foreign += refusedStrays
	h.n.start()
	h.connect()
	h.publish(20, false)
	h.wellPoisoned(2*refusedStrays, foreign, refusedStrays) // metrics are of this life

	// A rebuild passes over the same values.
	h.n.Stop()
	h.must(os.RemoveAll(filepath.Join(h.n.Data, "store")))
	h.must(os.RemoveAll(filepath.Join(h.n.Data, "catalog")))
	h.n.start()
	h.connect()
	h.publish(20, false)
	h.wellPoisoned(2*refusedStrays, foreign, foreign)
}

// wellPoisoned waits until all is counted, and compares: the strays of the public topic and
// of the journal as dead letters, those of the journal and the catalog as this process
// passed over them. Nothing has stopped, and a replay gives the same.
func (h *topicFixture) wellPoisoned(refused, letters, passed int64) {
	h.Helper()
	h.counted()
	h.n.eventually(fmt.Sprintf("%d and %d dead letters", refused, letters), func() bool {
		dead := h.n.deadByReason()
		return dead["foreign"] == letters && dead["bad_json"]+dead["bad_event"]+dead["missing_field"] == refused
	})
	for _, topic := range []string{"journal", "catalog"} {
		h.n.eventually(fmt.Sprintf("count of %d values passed over in %s", passed, topic), func() bool { return h.n.metric("ovation_foreign_records_total", "topic")[topic] == passed })
	}
	requireServing(h.n)
	if status, said := h.n.Get("/readyz"); status != http.StatusOK {
		h.Errorf("readyz: %d %s", status, said)
	}
	if v := h.n.verify(0); v.State != "equal" || v.Differences != 0 {
		h.Errorf("verify: %+v", v)
	}
}
