package topics

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/ovation-analytics/ovation/ingest/kafka"
)

// Ensured is what Ensure found or made.
type Ensured struct {
	Cluster  string // its id
	Brokers  int
	Created  []string
	Topics   []kafka.Topic // in the order asked for
	Problems []Problem
	// Single says that there is one broker only: what it loses is lost.
	Single bool
	// Kept is for how long, of the topics with Passing, brokers may have the bytes of a record
	// after its append, or of a key after it was deleted. It holds only where Endless, what sets
	// no limit, is empty.
	Kept    time.Duration
	Endless []string
}

// Problem is a difference between a topic and its Spec.
type Problem struct {
	Topic, Setting string
	Want, Has      string // Has is empty when the broker does not answer for it
	Fatal          bool   // else a warning
}

// String is a line for a log or a status page.
func (p Problem) String() string {
	has := p.Has
	if has == "" {
		has = "not known"
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

// Ensure creates the topics that do not exist, each with all its settings
// given, waits until every partition has a leader, and checks the topics that
// existed; it changes none of those. It repeats what may pass until ctx ends.
// The result is given beside a *SettingsError too.
func Ensure(ctx context.Context, c *kafka.Client, specs []Spec) (*Ensured, error) {
	names := make([]string, len(specs))
	for i := range specs {
		names[i] = specs[i].Name
	}
	r := &Ensured{}
	err := kafka.Persist(ctx, func() error { return r.create(ctx, c, specs, names) })
	if err == nil {
		err = kafka.Persist(ctx, func() error { return r.complete(ctx, c, names) })
	}
	if err == nil && len(r.Created) > 0 {
		c.ForgetLeaders()
	}
	if err == nil {
		err = kafka.Persist(ctx, func() error { return r.check(ctx, c, specs, names) })
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

// create makes the topics that the cluster does not have.
func (r *Ensured) create(ctx context.Context, c *kafka.Client, specs []Spec, names []string) error {
	cluster, err := c.Describe(ctx, names...)
	if err != nil {
		return err
	}
	var missing []kafka.NewTopic
	for i := range specs {
		s := &specs[i]
		if _, found := cluster.Topic(s.Name); found || slices.Contains(r.Created, s.Name) {
			continue
		}
		t, err := s.creation(cluster.Brokers)
		if err != nil {
			return err
		}
		missing = append(missing, t)
	}
	if len(missing) == 0 {
		return nil
	}
	made, err := c.CreateTopics(ctx, missing)
	r.Created = append(r.Created, made...)
	return err
}

// creation is the topic as it is made.
func (s *Spec) creation(brokers int) (kafka.NewTopic, error) {
	replicas, err := s.replicas(brokers)
	if err != nil {
		return kafka.NewTopic{}, err
	}
	t := kafka.NewTopic{Name: s.Name, Partitions: s.Partitions, Replicas: replicas, Settings: map[string]string{}}
	for _, e := range slices.Concat(s.Settings, safety(replicas)) {
		t.Settings[e.Name] = e.Value
	}
	return t, nil
}

// replicas is the replication factor to create the topic with.
func (s *Spec) replicas(brokers int) (int, error) {
	switch {
	case s.Replicas > 0:
		return s.Replicas, nil
	case brokers == 1:
		return 1, nil
	case brokers >= 3:
		return 3, nil
	}
	return 0, fmt.Errorf("kafka: %d brokers: topic %s is to have 3 replicas; start them, or create it by hand",
		brokers, s.Name)
}

// complete waits for all topics to be known, with leaders.
func (r *Ensured) complete(ctx context.Context, c *kafka.Client, names []string) error {
	cluster, err := c.Describe(ctx, names...)
	if err != nil {
		return err
	}
	r.Cluster = cluster.ID
	r.Brokers = cluster.Brokers
	r.Single = cluster.Brokers == 1
	r.Topics = r.Topics[:0]
	for _, name := range names {
		t, found := cluster.Topic(name)
		if !found || t.Partitions == 0 || t.Leaderless > 0 {
			return fmt.Errorf("topic %s: %w", name, kafkago.LeaderNotAvailable)
		}
		r.Topics = append(r.Topics, t)
	}
	return nil
}

// check compares the topics that were there with what they should be.
func (r *Ensured) check(ctx context.Context, c *kafka.Client, specs []Spec, names []string) error {
	r.Problems, r.Kept, r.Endless = nil, 0, nil
	has, err := c.Settings(ctx, names...)
	if err != nil {
		return err
	}
	for i := range specs {
		s, t := &specs[i], &r.Topics[i]
		r.note(s, has[s.Name])
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
