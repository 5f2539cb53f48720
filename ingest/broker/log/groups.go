package log

import (
	"fmt"
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// GroupOffset is the offset that a group committed for a partition.
type GroupOffset struct {
	Topic     domain.TopicID
	Partition int32
	Offset    int64
	Epoch     int32 // leader epoch of the batch before, -1: not given
	Metadata  string
}

// Groups are the offsets of groups in a log.
type Groups struct {
	*shared
	topics *Topics
}

// Commit keeps a group's offsets, all or none. They end with their topics.
func (g *Groups) Commit(group string, offsets []GroupOffset) error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	if len(group) > math.MaxUint16 {
		return fmt.Errorf("group name of %d bytes", len(group))
	}
	if err := g.space.check(); err != nil {
		return err
	}
	// A topic cannot go while its offsets are on their way: they would outlive it.
	g.topics.mu.RLock()
	defer g.topics.mu.RUnlock()
	b := g.db.NewBatch()
	for _, o := range offsets {
		if t := g.topics.byID[o.Topic]; t == nil || o.Partition < 0 || int(o.Partition) >= t.Partitions {
			return UnknownTopic
		}
		if err := b.Set(groupOffsetKey(group, o.Topic, o.Partition), encodeGroupOffset(o), nil); err != nil {
			return g.fail(err)
		}
	}
	return g.sync(b)
}

// Offset is what the group committed last for a partition.
func (g *Groups) Offset(group string, id domain.TopicID, partition int32) (o GroupOffset, found bool, err error) {
	if err := g.enter(); err != nil {
		return o, false, err
	}
	defer g.leave()
	if len(group) > math.MaxUint16 {
		return o, false, nil
	}
	v, found, err := g.get(groupOffsetKey(group, id, partition))
	if err != nil || !found {
		return o, false, err
	}
	if o, err = decodeGroupOffset(v); err != nil {
		return o, false, g.fail(err)
	}
	o.Topic, o.Partition = id, partition
	return o, true, nil
}

// Offsets are all that the group committed.
func (g *Groups) Offsets(group string) (all []GroupOffset, err error) {
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave()
	if len(group) > math.MaxUint16 {
		return nil, nil
	}
	prefix := groupKey(group)
	err = g.each(prefix, func(key, value []byte) error {
		o, err := decodeGroupOffset(value)
		if err != nil {
			return g.fail(err)
		}
		if len(key) == len(prefix)+16+4 {
			o.Topic, o.Partition, _ = groupOffsetOf(key)
			all = append(all, o)
		}
		return nil
	})
	return all, err
}
