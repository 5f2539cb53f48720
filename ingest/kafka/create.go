package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// NewTopic is a topic to be made.
type NewTopic struct {
	Name       string
	Partitions int
	Replicas   int // of each partition
	Settings   map[string]string
}

// CreateTopics makes topics, but for those that exist, and names those it made, also beside an
// error. It asks once. kafka-go's own request would wait for ever for a topic whose leaders are
// not kept.
func (c admin) CreateTopics(ctx context.Context, topics []NewTopic) (made []string, err error) {
	m := kmsg.NewPtrCreateTopicsRequest()
	m.TimeoutMillis = int32(c.cfg.RequestTimeout.Milliseconds())
	for i := range topics {
		m.Topics = append(m.Topics, topics[i].creation())
	}
	answer, err := c.ask(ctx, request{
		message: m, route: controller, within: c.cfg.RequestTimeout + brokerMargin,
	})
	if err != nil {
		return nil, fmt.Errorf("create topics: %w", err)
	}
	a := answer.(*kmsg.CreateTopicsResponse)
	for i := range a.Topics {
		switch name, code := a.Topics[i].Topic, kafkago.Error(a.Topics[i].ErrorCode); code {
		case 0:
			made = append(made, name)
		case kafkago.TopicAlreadyExists:
		default:
			return made, fmt.Errorf("create topic %s: %w%s", name, code, because(a.Topics[i].ErrorMessage))
		}
	}
	return made, nil
}

// because is the broker's own explanation.
func because(message *string) string {
	if message == nil || *message == "" {
		return ""
	}
	return " (" + *message + ")"
}

// creation is the request for the topic.
func (t *NewTopic) creation() kmsg.CreateTopicsRequestTopic {
	r := kmsg.NewCreateTopicsRequestTopic()
	r.Topic, r.NumPartitions, r.ReplicationFactor = t.Name, int32(t.Partitions), int16(t.Replicas)
	for _, name := range slices.Sorted(maps.Keys(t.Settings)) {
		v := kmsg.NewCreateTopicsRequestTopicConfig()
		v.Name, v.Value = name, new(t.Settings[name])
		r.Configs = append(r.Configs, v)
	}
	return r
}

// Settings asks for the settings of topics: topic → name → value. What a broker
// does not answer for is missing. It asks once.
func (c admin) Settings(ctx context.Context, topics ...string) (map[string]map[string]string, error) {
	m := kmsg.NewPtrDescribeConfigsRequest()
	for _, name := range topics {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, name
		m.Resources = append(m.Resources, r)
	}
	answer, err := c.ask(ctx, request{message: m})
	if err != nil {
		return nil, fmt.Errorf("describe settings: %w", err)
	}
	a := answer.(*kmsg.DescribeConfigsResponse)
	has := make(map[string]map[string]string, len(topics))
	for i := range a.Resources {
		r := &a.Resources[i]
		switch code := kafkago.Error(r.ErrorCode); code {
		case 0:
		case kafkago.TopicAuthorizationFailed, kafkago.ClusterAuthorizationFailed:
			continue
		default:
			return nil, fmt.Errorf("describe settings of topic %s: %w", r.ResourceName, code)
		}
		values := make(map[string]string, len(r.Configs))
		for j := range r.Configs {
			if v := r.Configs[j].Value; v != nil {
				values[r.Configs[j].Name] = *v
			}
		}
		has[r.ResourceName] = values
	}
	return has, nil
}
