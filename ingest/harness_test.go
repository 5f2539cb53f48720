package ingest

import (
	"context"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/activity"
	"github.com/ovation-analytics/ovation/ingest/kafka"
	"github.com/ovation-analytics/ovation/ingest/kafka/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a cluster in memory and a client of it.
type harness struct {
	*testing.T
	ctx     context.Context
	cluster *kfake.Cluster
	client  *kafka.Client
}

// given starts a cluster with the topics named, of two partitions each, and ends it
// with the test.
func given(t *testing.T, topics ...string) *harness {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topics...))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	client, err := kafka.New(kafka.Config{Brokers: cluster.ListenAddrs(), ClientID: "test", MetadataTTL: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		client.Close()
		cluster.Close()
	})
	return &harness{T: t, ctx: ctx, cluster: cluster, client: client}
}

func (w *harness) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func testHasher(t testing.TB) *activity.Hasher {
	h, err := activity.NewHasher([]byte("a pepper that is only used in tests"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (w *harness) log(topic string) *Log {
	w.Helper()
	l, err := OpenLog(w.ctx, w.client, topic, kafka.LZ4)
	w.must(err)
	return l
}

func (w *harness) source(topic string) *Source {
	w.Helper()
	s, err := OpenSource(w.ctx, w.client, SourceConfig{Topic: topic, Journal: domain.TopicID{7}, Hasher: testHasher(w), Stats: &activity.Stats{}})
	w.must(err)
	return s
}

// send appends messages as one batch.
func (w *harness) send(topic string, partition int, messages ...kafka.Message) {
	w.Helper()
	p, err := w.client.Producer(kafka.ProducerConfig{Topic: topic, Partition: partition, Codec: kafka.LZ4, MaxBytes: kafka.MaxJournalBytes})
	w.must(err)
	_, err = p.Send(w.ctx, messages)
	w.must(err)
}

// recreate deletes a topic and makes another of its name.
func (w *harness) recreate(topic string) {
	w.Helper()
	k := &kafkago.Client{Addr: kafkago.TCP(w.cluster.ListenAddrs()...)}
	r, err := k.DeleteTopics(w.ctx, &kafkago.DeleteTopicsRequest{Topics: []string{topic}})
	w.must(err)
	w.must(r.Errors[topic])
	kafkago.DefaultTransport.(*kafkago.Transport).CloseIdleConnections()
	_, err = topics.Ensure(w.ctx, w.client, []topics.Spec{{Name: topic, Partitions: 2}})
	w.must(err)
}

// refuse answers the next produce requests with errors.
func (w *harness) refuse(errs ...*kerr.Error) {
	for _, e := range errs {
		w.cluster.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
			q := r.(*kmsg.ProduceRequest)
			a := q.ResponseKind().(*kmsg.ProduceResponse)
			part := kmsg.NewProduceResponseTopicPartition()
			part.Partition, part.ErrorCode = q.Topics[0].Partitions[0].Partition, e.Code
			topic := kmsg.NewProduceResponseTopic()
			topic.Topic = q.Topics[0].Topic
			topic.Partitions = append(topic.Partitions, part)
			a.Topics = append(a.Topics, topic)
			return a, nil, true
		})
	}
}
