package log

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Topic describes a topic. Config is shared: a caller must not change it.
type Topic struct {
	ID         domain.TopicID
	Name       string
	Partitions int
	Config     map[string]string
}

// The settings of a topic that the log follows; others are kept and shown.
const (
	configTimestampType = "message.timestamp.type" // CreateTime or LogAppendTime
	configMaxBatch      = "max.message.bytes"      // of a record batch, compressed
)

// Bounds of a topic.
const (
	defaultMaxBatch = 1<<20 + 12
	greatestBatch   = 32 << 20
	maxPartitions   = 10_000
	maxNameLen      = 249
)

type topic struct {
	Topic
	appendTime bool
	maxBatch   int
	parts      []*part
}

// newTopic reads the settings.
func newTopic(t Topic) (*topic, error) {
	n := &topic{Topic: t, maxBatch: defaultMaxBatch}
	switch v := t.Config[configTimestampType]; v {
	case "", "CreateTime":
	case "LogAppendTime":
		n.appendTime = true
	default:
		return nil, fmt.Errorf("%w: %s is CreateTime or LogAppendTime", InvalidConfig, configTimestampType)
	}
	if v, ok := t.Config[configMaxBatch]; ok {
		b, err := strconv.Atoi(v)
		if err != nil || b < recordbatch.HeaderSize || b > greatestBatch {
			return nil, fmt.Errorf("%w: %s is %d to %d", InvalidConfig, configMaxBatch, recordbatch.HeaderSize, greatestBatch)
		}
		n.maxBatch = b
	}
	for k, v := range t.Config {
		if len(k) > math.MaxInt16 || len(v) > math.MaxInt16 {
			return nil, fmt.Errorf("%w: too long", InvalidConfig)
		}
	}
	return n, nil
}

// validName is Kafka's rule.
func validName(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > maxNameLen {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
	})
}

// Topics are all topics, by name.
func (l *Log) Topics() []Topic {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := make([]Topic, 0, len(l.byName))
	for _, t := range l.byName {
		all = append(all, t.Topic)
	}
	slices.SortFunc(all, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// TopicByName finds a topic.
func (l *Log) TopicByName(name string) (Topic, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if t := l.byName[name]; t != nil {
		return t.Topic, true
	}
	return Topic{}, false
}

// TopicByID finds a topic.
func (l *Log) TopicByID(id domain.TopicID) (Topic, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if t := l.byID[id]; t != nil {
		return t.Topic, true
	}
	return Topic{}, false
}

// CheckTopic gives the error that CreateTopic would give.
func (l *Log) CheckTopic(name string, partitions int, config map[string]string) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	_, err := l.plan(name, partitions, config)
	return err
}

func (l *Log) plan(name string, partitions int, config map[string]string) (*topic, error) {
	if !validName(name) {
		return nil, InvalidTopic
	}
	if l.byName[name] != nil {
		return nil, TopicExists
	}
	if partitions < 1 || partitions > maxPartitions {
		return nil, fmt.Errorf("%w: 1 to %d", InvalidPartitions, maxPartitions)
	}
	t := Topic{Name: name, Partitions: partitions, Config: make(map[string]string, len(config))}
	maps.Copy(t.Config, config)
	return newTopic(t)
}

// CreateTopic makes a topic with an id that none had before. The settings stay as
// they are for the topic's life.
func (l *Log) CreateTopic(name string, partitions int, config map[string]string) (domain.TopicID, error) {
	if err := l.enter(); err != nil {
		return domain.TopicID{}, err
	}
	defer l.leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	t, err := l.plan(name, partitions, config)
	if err != nil {
		return domain.TopicID{}, err
	}
	if err := l.room(); err != nil {
		return domain.TopicID{}, err
	}
	t.ID = newTopicID()
	if err := l.set(topicKey(keyTopic, t.ID), encodeTopic(t.Topic)); err != nil {
		return domain.TopicID{}, err
	}
	l.adopt(t)
	for i := range t.Partitions {
		t.parts = append(t.parts, newPart(l, t, int32(i)))
	}
	return t.ID, nil
}

// adopt makes a topic known. Called with mu held alone.
func (l *Log) adopt(t *topic) { l.byName[t.Name], l.byID[t.ID] = t, t }

// AddPartitions raises a topic's number of partitions to total.
func (l *Log) AddPartitions(id domain.TopicID, total int) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.byID[id]
	switch {
	case t == nil:
		return UnknownTopic
	case total <= t.Partitions || total > maxPartitions:
		return fmt.Errorf("%w: %d, the topic has %d", InvalidPartitions, total, t.Partitions)
	}
	if err := l.room(); err != nil {
		return err
	}
	n := *t
	n.Partitions = total
	if err := l.set(topicKey(keyTopic, id), encodeTopic(n.Topic)); err != nil {
		return err
	}
	for i := t.Partitions; i < total; i++ {
		n.parts = append(n.parts, newPart(l, t, int32(i)))
	}
	l.adopt(&n)
	return nil
}

// DeleteTopic deletes a topic with all that is known of it.
func (l *Log) DeleteTopic(id domain.TopicID) error {
	if err := l.enter(); err != nil {
		return err
	}
	defer l.leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.byID[id]
	if t == nil {
		return UnknownTopic
	}
	b := l.db.NewBatch()
	if err := l.stageDelete(b, id); err != nil {
		return l.fail(err)
	}
	for _, p := range t.parts { // from here on no append enters the WAL behind the deletion
		p.mu.Lock()
		p.gone = true
		p.mu.Unlock()
	}
	delete(l.byName, t.Name)
	delete(l.byID, id)
	return l.sync(b)
}

func (l *Log) stageDelete(b *pebble.Batch, id domain.TopicID) error {
	if err := b.Delete(topicKey(keyTopic, id), nil); err != nil {
		return err
	}
	for _, kind := range []byte{keyFloor, keyEpochAt, keyProducer, keyBlock} {
		k := topicKey(kind, id)
		if err := b.DeleteRange(k, after(k), nil); err != nil {
			return err
		}
	}
	return l.each([]byte{keyGroup}, func(key, _ []byte) error {
		if of, _, ok := groupOffsetOf(key); ok && of == id {
			return b.Delete(key, nil)
		}
		return nil
	})
}

func (l *Log) loadTopics() error {
	err := l.each([]byte{keyTopic}, func(key, value []byte) error {
		if len(key) != 1+16 {
			return errDamaged
		}
		plain, err := decodeTopic(domain.TopicID(key[1:]), value)
		if err != nil {
			return err
		}
		t, err := newTopic(plain)
		if err != nil {
			return err
		}
		l.adopt(t)
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range l.byID {
		for i := range t.Partitions {
			p := newPart(l, t, int32(i))
			if err := p.load(); err != nil {
				return fmt.Errorf("topic %s partition %d: %w", t.Name, i, err)
			}
			t.parts = append(t.parts, p)
		}
	}
	return nil
}

// part finds a partition.
func (l *Log) part(id domain.TopicID, partition int32) (*part, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t := l.byID[id]
	if t == nil || partition < 0 || int(partition) >= len(t.parts) {
		return nil, UnknownTopic
	}
	return t.parts[partition], nil
}

// newTopicID is a random UUID.
func newTopicID() (id domain.TopicID) {
	_, _ = rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return id
}

// newClusterID is a random UUID in base64 that does not look like a flag.
func newClusterID() string {
	for {
		id := newTopicID()
		if s := base64.RawURLEncoding.EncodeToString(id[:]); s[0] != '-' {
			return s
		}
	}
}
