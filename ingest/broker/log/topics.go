package log

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Topics is the directory of a log.
type Topics struct {
	shared *shared

	mu     sync.RWMutex // held alone while a topic is made or deleted
	byName map[string]*topic
	byID   map[domain.TopicID]*topic
}

func newTopics(s *shared) *Topics {
	return &Topics{shared: s, byName: map[string]*topic{}, byID: map[domain.TopicID]*topic{}}
}

func (d *Topics) load() error {
	err := d.shared.each([]byte{keyTopic}, func(key, value []byte) error {
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
		d.adopt(t)
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range d.byID {
		t.grow(d.shared)
		for i, p := range t.parts {
			if err := p.load(); err != nil {
				return fmt.Errorf("topic %s partition %d: %w", t.Name, i, err)
			}
		}
	}
	return nil
}

// newestStamp is the newest time of an append that the log has stamped, in ms; -1: none.
func (d *Topics) newestStamp() int64 {
	newest := int64(-1)
	for _, t := range d.byID {
		for _, p := range t.parts {
			if t.appendTime {
				newest = max(newest, p.newest)
			}
		}
	}
	return newest
}

// All are all topics, by name.
func (d *Topics) All() []Topic {
	d.mu.RLock()
	defer d.mu.RUnlock()
	all := make([]Topic, 0, len(d.byName))
	for _, t := range d.byName {
		all = append(all, t.Topic)
	}
	slices.SortFunc(all, func(a, b Topic) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// ByName finds a topic.
func (d *Topics) ByName(name string) (Topic, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if t := d.byName[name]; t != nil {
		return t.Topic, true
	}
	return Topic{}, false
}

// ByID finds a topic.
func (d *Topics) ByID(id domain.TopicID) (Topic, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if t := d.byID[id]; t != nil {
		return t.Topic, true
	}
	return Topic{}, false
}

// Partition finds a partition.
func (d *Topics) Partition(id domain.TopicID, partition int32) (*Partition, error) {
	if err := d.shared.enter(); err != nil {
		return nil, err
	}
	defer d.shared.leave()
	d.mu.RLock()
	defer d.mu.RUnlock()
	t := d.byID[id]
	if t == nil || partition < 0 || int(partition) >= len(t.parts) {
		return nil, UnknownTopic
	}
	return t.parts[partition], nil
}

// Check gives the error that Create would give.
func (d *Topics) Check(name string, partitions int, config map[string]string) error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	_, err := d.plan(name, partitions, config)
	return err
}

func (d *Topics) plan(name string, partitions int, config map[string]string) (*topic, error) {
	if !validName(name) {
		return nil, InvalidTopic
	}
	if d.byName[name] != nil {
		return nil, TopicExists
	}
	if partitions < 1 || partitions > maxPartitions {
		return nil, fmt.Errorf("%w: 1 to %d", InvalidPartitions, maxPartitions)
	}
	t := Topic{Name: name, Partitions: partitions, Config: make(map[string]string, len(config))}
	maps.Copy(t.Config, config)
	return newTopic(t)
}

// Create makes a topic with an id that none had before. The settings stay as
// they are for the topic's life.
func (d *Topics) Create(name string, partitions int, config map[string]string) (domain.TopicID, error) {
	if err := d.shared.enter(); err != nil {
		return domain.TopicID{}, err
	}
	defer d.shared.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	t, err := d.plan(name, partitions, config)
	if err != nil {
		return domain.TopicID{}, err
	}
	t.ID = newTopicID()
	if err := d.keep(t); err != nil {
		return domain.TopicID{}, err
	}
	return t.ID, nil
}

// AddPartitions raises a topic's number of partitions to total.
func (d *Topics) AddPartitions(id domain.TopicID, total int) error {
	if err := d.shared.enter(); err != nil {
		return err
	}
	defer d.shared.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.byID[id]
	switch {
	case t == nil:
		return UnknownTopic
	case total <= t.Partitions || total > maxPartitions:
		return fmt.Errorf("%w: %d, the topic has %d", InvalidPartitions, total, t.Partitions)
	}
	n := *t
	n.Partitions = total
	return d.keep(&n)
}

// keep stores a topic, new or grown, and makes it known. mu is held alone.
func (d *Topics) keep(t *topic) error {
	if err := d.shared.space.check(); err != nil {
		return err
	}
	if err := d.shared.set(topicKey(keyTopic, t.ID), encodeTopic(t.Topic)); err != nil {
		return err
	}
	t.grow(d.shared)
	d.adopt(t)
	return nil
}

// adopt makes a topic known. mu is held alone.
func (d *Topics) adopt(t *topic) {
	d.byName[t.Name] = t
	d.byID[t.ID] = t
}

// Delete deletes a topic with all that is known of it.
func (d *Topics) Delete(id domain.TopicID) error {
	if err := d.shared.enter(); err != nil {
		return err
	}
	defer d.shared.leave()
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.byID[id]
	if t == nil {
		return UnknownTopic
	}
	b := d.shared.db.NewBatch()
	if err := d.stageDelete(b, id); err != nil {
		return d.shared.fail(err)
	}
	for _, p := range t.parts { // from here on no append enters the WAL after the deletion
		p.mu.Lock()
		p.gone = true
		p.mu.Unlock()
	}
	delete(d.byName, t.Name)
	delete(d.byID, id)
	return d.shared.sync(b)
}

func (d *Topics) stageDelete(b *pebble.Batch, id domain.TopicID) error {
	if err := b.Delete(topicKey(keyTopic, id), nil); err != nil {
		return err
	}
	for _, kind := range []byte{keyFloor, keyEpochAt, keyProducer, keyBlock, keyNewest, keyTombstone} {
		k := topicKey(kind, id)
		if err := b.DeleteRange(k, after(k), nil); err != nil {
			return err
		}
	}
	return d.shared.each([]byte{keyGroup}, func(key, _ []byte) error {
		if of, _, ok := groupOffsetOf(key); ok && of == id {
			return b.Delete(key, nil)
		}
		return nil
	})
}
