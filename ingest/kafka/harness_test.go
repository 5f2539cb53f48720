package kafka

import (
	"context"
	"fmt"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// harness is a cluster in memory and a client of it.
type harness struct {
	*testing.T
	ctx     context.Context
	cluster *kfake.Cluster // nil: a real broker
	brokers []string
	client  *Client
	topic   string
}

// given starts a cluster with the topic "t" of one partition, unless the options say
// otherwise, and ends both with the test.
func given(t *testing.T, opts ...kfake.Opt) *harness {
	t.Helper()
	if len(opts) == 0 {
		opts = []kfake.Opt{kfake.SeedTopics(1, "t")}
	}
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	w := &harness{T: t, ctx: ctx, cluster: cluster, brokers: cluster.ListenAddrs(), topic: "t"}
	w.client = w.another(func(*Config) {})
	t.Cleanup(func() {
		cancel()
		w.client.Close()
		cluster.Close()
	})
	return w
}

// spread has the brokers lead the partitions of "t" in turn: the cluster chooses leaders by
// chance.
func (w *harness) spread(partitions, brokers int) {
	w.Helper()
	for p := range partitions {
		w.must(w.cluster.MoveTopicPartition("t", int32(p), int32(p%brokers)))
	}
}

// another is one more client of the cluster.
func (w *harness) another(change func(*Config)) *Client {
	w.Helper()
	cfg := Config{Brokers: w.brokers, ClientID: "test", MetadataTTL: 100 * time.Millisecond, RequestTimeout: 5 * time.Second}
	change(&cfg)
	c, err := New(cfg)
	if err != nil {
		w.Fatal(err)
	}
	return c
}

func (w *harness) id() domain.TopicID {
	w.Helper()
	var t Topic
	w.must(Persist(w.ctx, func() (err error) {
		t, err = w.client.Topic(w.ctx, w.topic)
		return err
	}))
	return t.ID
}

func (w *harness) fetcher(change func(*FetchConfig)) *Fetcher {
	w.Helper()
	cfg := FetchConfig{Topic: w.topic, ID: w.id(), MaxWait: 10 * time.Millisecond}
	if change != nil {
		change(&cfg)
	}
	f, err := w.client.Fetcher(cfg)
	w.must(err)
	return f
}

func (w *harness) producer(change func(*ProducerConfig)) *Producer {
	w.Helper()
	cfg := ProducerConfig{Topic: w.topic}
	if change != nil {
		change(&cfg)
	}
	p, err := w.client.Producer(cfg)
	w.must(err)
	return p
}

func (w *harness) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// send appends values as one batch.
func (w *harness) send(p *Producer, values ...string) int64 {
	w.Helper()
	base, err := p.Send(w.ctx, messages(values...))
	w.must(err)
	return base
}

func messages(values ...string) []Message {
	m := make([]Message, len(values))
	for i, v := range values {
		m[i].Value = []byte(v)
	}
	return m
}

// fetch repeats what may pass.
func (w *harness) fetch(f *Fetcher, next int64, epoch int32) (*Page, error) {
	w.Helper()
	var page *Page
	err := Persist(w.ctx, func() (err error) {
		page, err = f.Fetch(w.ctx, next, epoch)
		return err
	})
	return page, err
}

// drain reads from next to the end of what can be read and gives "offset value".
func (w *harness) drain(f *Fetcher, next int64) (lines []string, end int64) {
	w.Helper()
	epoch := NoEpoch
	for {
		page, err := w.fetch(f, next, epoch)
		w.must(err)
		for i := range page.Records {
			r := &page.Records[i]
			lines = append(lines, fmt.Sprint(r.Offset, " ", string(r.Value)))
		}
		next, epoch = page.Next, page.Epoch
		if next >= page.Stable {
			return lines, next
		}
	}
}

func (w *harness) deleteTopic() {
	w.Helper()
	k := &kafkago.Client{Addr: w.client.addr, Transport: w.client.rest}
	r, err := k.DeleteTopics(w.ctx, &kafkago.DeleteTopicsRequest{Topics: []string{w.topic}})
	w.must(err)
	w.must(r.Errors[w.topic])
}

// createTopic makes the topic with one partition, and waits for its leader.
func (w *harness) createTopic(settings map[string]string) {
	w.Helper()
	w.must(Persist(w.ctx, func() error {
		_, err := w.client.CreateTopics(w.ctx, []NewTopic{{Name: w.topic, Partitions: 1, Replicas: 1, Settings: settings}})
		return err
	}))
	w.must(Persist(w.ctx, func() error {
		t, err := w.client.Topic(w.ctx, w.topic)
		if err == nil && t.Leaderless > 0 {
			err = kafkago.LeaderNotAvailable
		}
		return err
	}))
	w.client.ForgetLeaders()
}
