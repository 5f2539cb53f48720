package kafka

import (
	"context"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// admin asks about topics, and makes and trims them.
type admin struct{ *conns }

// Cluster is what a broker says about its cluster.
type Cluster struct {
	ID      string
	Brokers int
	Topics  []Topic // those asked for that exist
}

// Topic is one topic as it is now.
type Topic struct {
	Name       string
	ID         domain.TopicID // another one after the topic was deleted and created again
	Partitions int
	Replicas   int // of the partition that has the fewest
	Leaderless int // partitions that have no leader at the moment
}

// Topic finds the topic named; a missing one found is false.
func (c *Cluster) Topic(name string) (t Topic, found bool) {
	for _, t := range c.Topics {
		if t.Name == name {
			return t, true
		}
	}
	return Topic{}, false
}

// Describe asks a broker about the cluster and the topics named.
func (c admin) Describe(ctx context.Context, names ...string) (*Cluster, error) {
	m := kmsg.NewPtrMetadataRequest()
	m.AllowAutoTopicCreation = false
	m.Topics = make([]kmsg.MetadataRequestTopic, 0, len(names)) // nil would be all topics
	for _, name := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = new(name)
		m.Topics = append(m.Topics, t)
	}
	answer, err := c.ask(ctx, request{message: m})
	if err != nil {
		return nil, fmt.Errorf("describe the cluster: %w", err)
	}
	a := answer.(*kmsg.MetadataResponse)
	r := &Cluster{Brokers: len(a.Brokers)}
	if a.ClusterID != nil {
		r.ID = *a.ClusterID
	}
	for i := range a.Topics {
		t := &a.Topics[i]
		switch code := kafkago.Error(t.ErrorCode); {
		case code == kafkago.UnknownTopicOrPartition:
		case code != 0 && code != kafkago.LeaderNotAvailable:
			return nil, fmt.Errorf("describe topic %s: %w", deref(t.Topic), code)
		default:
			r.Topics = append(r.Topics, topicOf(t))
		}
	}
	return r, nil
}

func topicOf(a *kmsg.MetadataResponseTopic) Topic {
	t := Topic{Name: deref(a.Topic), ID: a.TopicID, Partitions: len(a.Partitions)}
	for i := range a.Partitions {
		p := &a.Partitions[i]
		if i == 0 || len(p.Replicas) < t.Replicas {
			t.Replicas = len(p.Replicas)
		}
		if p.Leader < 0 {
			t.Leaderless++
		}
	}
	return t
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Topic asks a broker about one topic; none is kafkago.UnknownTopicOrPartition, which
// a broker may also say of a topic that was just made.
func (c admin) Topic(ctx context.Context, name string) (Topic, error) {
	r, err := c.Describe(ctx, name)
	if err != nil {
		return Topic{}, err
	}
	t, found := r.Topic(name)
	if !found {
		return Topic{}, fmt.Errorf("topic %s: %w", name, kafkago.UnknownTopicOrPartition)
	}
	return t, nil
}

// Offsets that are asked for by name, and how they count.
const (
	latest   int64 = -1
	earliest int64 = -2

	readCommitted = 1
)

// Start is the offset of the first record that the log has.
func (c admin) Start(ctx context.Context, topic string, partition int) (int64, error) {
	return c.listOffset(ctx, topic, partition, earliest, false)
}

// End is the offset after the last record that can be read now: those of open
// transactions cannot.
func (c admin) End(ctx context.Context, topic string, partition int) (int64, error) {
	return c.listOffset(ctx, topic, partition, latest, true)
}

// At is the offset of the first record that is not older than ms, the end if there
// is none.
func (c admin) At(ctx context.Context, topic string, partition int, ms int64) (int64, error) {
	if ms < 0 {
		return 0, fmt.Errorf("kafka: offset at the time %d", ms)
	}
	offset, err := c.listOffset(ctx, topic, partition, ms, true)
	if err == nil && offset < 0 {
		return c.End(ctx, topic, partition)
	}
	return offset, err
}

// listOffset asks the leader once. The end is the stable one, or else the log's.
func (c admin) listOffset(ctx context.Context, topic string, partition int, at int64, stable bool) (int64, error) {
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp = int32(partition), at
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	t.Partitions = append(t.Partitions, p)
	m := kmsg.NewPtrListOffsetsRequest()
	m.ReplicaID = -1
	if stable {
		m.IsolationLevel = readCommitted
	}
	m.Topics = append(m.Topics, t)
	answer, err := c.ask(ctx, request{message: m, route: c.leader(topic, partition)})
	if err != nil {
		return 0, fmt.Errorf("offsets of %s/%d: %w", topic, partition, err)
	}
	a := answer.(*kmsg.ListOffsetsResponse)
	if len(a.Topics) != 1 || len(a.Topics[0].Partitions) != 1 {
		return 0, &passing{why: "the broker's answer has no partition", err: errAnswer}
	}
	r := &a.Topics[0].Partitions[0]
	if r.ErrorCode != 0 {
		return 0, fmt.Errorf("offsets of %s/%d: %w", topic, partition, kafkago.Error(r.ErrorCode))
	}
	return r.Offset, nil
}

// DeleteRecords gives up all records below before and returns where the log now
// starts. It asks once.
func (c admin) DeleteRecords(ctx context.Context, topic string, partition int, before int64) (start int64, err error) {
	if before < 0 { // to the broker −1 means everything
		return 0, fmt.Errorf("kafka: delete the records of %s/%d below %d", topic, partition, before)
	}
	p := kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Partition, p.Offset = int32(partition), before
	t := kmsg.NewDeleteRecordsRequestTopic()
	t.Topic = topic
	t.Partitions = append(t.Partitions, p)
	m := kmsg.NewPtrDeleteRecordsRequest()
	m.TimeoutMillis = int32(c.cfg.RequestTimeout.Milliseconds())
	m.Topics = append(m.Topics, t)
	answer, err := c.ask(ctx, request{
		message: m, route: c.leader(topic, partition), within: c.cfg.RequestTimeout + brokerMargin,
	})
	if err != nil {
		return 0, fmt.Errorf("delete records of %s/%d: %w", topic, partition, err)
	}
	a := answer.(*kmsg.DeleteRecordsResponse)
	if len(a.Topics) != 1 || len(a.Topics[0].Partitions) != 1 {
		return 0, &passing{why: "the broker's answer has no partition", err: errAnswer}
	}
	r := &a.Topics[0].Partitions[0]
	if r.ErrorCode != 0 {
		return 0, fmt.Errorf("delete records of %s/%d: %w", topic, partition, kafkago.Error(r.ErrorCode))
	}
	return r.LowWatermark, nil
}
