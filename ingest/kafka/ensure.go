package kafka

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Ensured is what EnsureTopics found or made.
type Ensured struct {
	Cluster  string // its id
	Brokers  int
	Created  []string
	Topics   []Topic // in the order asked for
	Problems []Problem
	// Single says that there is one broker only: what it loses is lost.
	Single bool
}

// Problem is a difference between a topic and its TopicSpec.
type Problem struct {
	Topic, Setting string
	Want, Has      string // Has is empty when the broker does not tell
	Fatal          bool   // else a warning
}

// String is a line for a log or a status page.
func (p Problem) String() string {
	has := p.Has
	if has == "" {
		has = "not told"
	}
	return fmt.Sprintf("topic %s: %s is %s, should be %s", p.Topic, p.Setting, has, p.Want)
}

// SettingsError holds the problems with which the topics must not be used.
type SettingsError struct{ Problems []Problem }

// Error names all of them.
func (e *SettingsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "kafka: " + strings.Join(lines, "; ")
}

// EnsureTopics creates the topics that do not exist, each with all its settings
// given, waits until every partition has a leader, and checks the topics that
// existed; it changes none of those. It goes on trying what may pass until ctx ends.
// The result is given beside a *SettingsError too.
func (c *Client) EnsureTopics(ctx context.Context, specs []TopicSpec) (*Ensured, error) {
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	r := &Ensured{}
	err := c.retried(ctx, func() error {
		cluster, err := c.Describe(ctx, names...)
		if err == nil {
			err = c.create(ctx, cluster, specs, r)
		}
		return err
	})
	if err == nil {
		err = c.retried(ctx, func() error { return c.complete(ctx, names, r) })
	}
	if err == nil && len(r.Created) > 0 {
		c.forgetLeaders()
	}
	if err == nil {
		err = c.retried(ctx, func() error { return c.check(ctx, specs, r) })
	}
	if err != nil {
		return nil, fmt.Errorf("ensure topics: %w", err)
	}
	var fatal []Problem
	for _, p := range r.Problems {
		if p.Fatal {
			fatal = append(fatal, p)
		}
	}
	if len(fatal) > 0 {
		return r, &SettingsError{fatal}
	}
	return r, nil
}

// create makes the topics that cluster does not have. kafka-go's own request would
// wait for ever for a topic whose leaders are not kept.
func (c *Client) create(ctx context.Context, cluster *Cluster, specs []TopicSpec, r *Ensured) error {
	m := kmsg.NewPtrCreateTopicsRequest()
	m.TimeoutMillis = int32(c.cfg.RequestTimeout.Milliseconds())
	for i := range specs {
		s := &specs[i]
		if _, found := cluster.Topic(s.Name); found || slices.Contains(r.Created, s.Name) {
			continue
		}
		t, err := s.creation(cluster.Brokers)
		if err != nil {
			return err
		}
		m.Topics = append(m.Topics, t)
	}
	if len(m.Topics) == 0 {
		return nil
	}
	answer, err := c.ask(ctx, request{
		message: m, version: versionCreateTopics, route: controller, within: c.cfg.RequestTimeout + brokerMargin,
	})
	if err != nil {
		return fmt.Errorf("create topics: %w", err)
	}
	a := answer.(*kmsg.CreateTopicsResponse)
	for i := range a.Topics {
		switch name, code := a.Topics[i].Topic, kafkago.Error(a.Topics[i].ErrorCode); code {
		case 0:
			r.Created = append(r.Created, name)
		case kafkago.TopicAlreadyExists: // another node was first: it is checked like any
		default:
			return fmt.Errorf("create topic %s: %w%s", name, code, because(a.Topics[i].ErrorMessage))
		}
	}
	return nil
}

// forgetLeaders makes the next request learn the leaders anew: those of a topic just made
// would not be known before MetadataTTL has passed. Requests under way are not cut off.
func (c *Client) forgetLeaders() {
	c.fetching.CloseIdleConnections()
	c.rest.CloseIdleConnections()
}

// because is the broker's own explanation.
func because(message *string) string {
	if message == nil || *message == "" {
		return ""
	}
	return " (" + *message + ")"
}

// creation is the request for the topic.
func (s *TopicSpec) creation(brokers int) (kmsg.CreateTopicsRequestTopic, error) {
	t := kmsg.NewCreateTopicsRequestTopic()
	replicas, err := s.replicas(brokers)
	if err != nil {
		return t, err
	}
	t.Topic, t.NumPartitions, t.ReplicationFactor = s.Name, int32(s.Partitions), int16(replicas)
	for _, e := range slices.Concat(s.Settings, safety(replicas)) {
		v := kmsg.NewCreateTopicsRequestTopicConfig()
		v.Name, v.Value = e.Name, new(e.Value)
		t.Configs = append(t.Configs, v)
	}
	return t, nil
}

// replicas is the replication factor to create the topic with.
func (s *TopicSpec) replicas(brokers int) (int, error) {
	switch {
	case s.Replicas > 0:
		return s.Replicas, nil
	case brokers == 1:
		return 1, nil
	case brokers >= 3:
		return 3, nil
	}
	return 0, fmt.Errorf("kafka: %d brokers: topic %s is to have 3 replicas; start them, or create it by hand", brokers, s.Name)
}

// complete waits for all topics to be known, with leaders.
func (c *Client) complete(ctx context.Context, names []string, r *Ensured) error {
	cluster, err := c.Describe(ctx, names...)
	if err != nil {
		return err
	}
	r.Cluster, r.Brokers, r.Single = cluster.ID, cluster.Brokers, cluster.Brokers == 1
	r.Topics = r.Topics[:0]
	for _, name := range names {
		t, found := cluster.Topic(name)
		if !found || t.Partitions == 0 || t.Leaderless > 0 {
			return &passing{why: "topic " + name + " has no leaders yet"}
		}
		r.Topics = append(r.Topics, t)
	}
	return nil
}

// check compares the topics that were there with what they should be.
func (c *Client) check(ctx context.Context, specs []TopicSpec, r *Ensured) error {
	r.Problems = nil
	has, err := c.settings(ctx, specs)
	if err != nil {
		return err
	}
	for i := range specs {
		s, t := &specs[i], &r.Topics[i]
		problem := func(setting, want, has string, fatal bool) {
			r.Problems = append(r.Problems, Problem{Topic: s.Name, Setting: setting, Want: want, Has: has, Fatal: fatal})
		}
		if !s.AnyPartitions && t.Partitions != s.Partitions {
			problem("number of partitions", strconv.Itoa(s.Partitions), strconv.Itoa(t.Partitions), true)
		}
		settings := s.Settings
		if !r.Single {
			if t.Replicas < 3 {
				problem("number of replicas", "3", strconv.Itoa(t.Replicas), false)
			}
			settings = slices.Concat(settings, safety(3))
		}
		for _, e := range settings {
			if value, told := has[s.Name][e.Name]; !told {
				problem(e.Name, e.Value, "", false)
			} else if !e.satisfied(value) {
				problem(e.Name, e.Value, value, e.Check != Advised)
			}
		}
	}
	return nil
}

// settings asks for the settings of the topics: topic → name → value. What a broker
// does not tell is missing.
func (c *Client) settings(ctx context.Context, specs []TopicSpec) (map[string]map[string]string, error) {
	m := kmsg.NewPtrDescribeConfigsRequest()
	for i := range specs {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, specs[i].Name
		m.Resources = append(m.Resources, r)
	}
	answer, err := c.ask(ctx, request{message: m, version: versionDescribeConfigs})
	if err != nil {
		return nil, fmt.Errorf("describe settings: %w", err)
	}
	a := answer.(*kmsg.DescribeConfigsResponse)
	has := make(map[string]map[string]string, len(specs))
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
