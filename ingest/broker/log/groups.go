package log

import (
	"cmp"
	"fmt"
	"math"
	"sync"
	"time"

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

	mu      sync.Mutex // guards what follows
	brief   map[briefOffset]GroupOffset
	bound   int       // offsets that there may be, those of topics that were deleted since counted still
	counted time.Time // when they were; zero: never
}

// briefOffset is which offset is kept in memory alone.
type briefOffset struct {
	group     string
	topic     domain.TopicID
	partition int32
}

// CommitBrief keeps a group's offsets in memory, until the log is closed: for what is committed
// again soon. It takes no room on the disk and waits for none.
func (g *Groups) CommitBrief(group string, offsets []GroupOffset) error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	g.topics.mu.RLock()
	defer g.topics.mu.RUnlock()
	for _, o := range offsets {
		if t := g.topics.byID[o.Topic]; t == nil || o.Partition < 0 || int(o.Partition) >= t.Partitions {
			return UnknownTopic
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.brief == nil {
		g.brief = map[briefOffset]GroupOffset{}
	}
	for _, o := range offsets {
		g.brief[briefOffset{group, o.Topic, o.Partition}] = o
	}
	return nil
}

// inMemory is an offset that CommitBrief keeps.
func (g *Groups) inMemory(group string, id domain.TopicID, partition int32) (GroupOffset, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o, found := g.brief[briefOffset{group, id, partition}]
	return o, found
}

// Commit keeps a group's offsets, all or none. They end with their topics.
func (g *Groups) Commit(group string, offsets []GroupOffset) error {
	return g.CommitWithin(group, offsets, 0)
}

// countAgain is how long a count of offsets that was too high is believed: counting reads them all.
const countAgain = time.Minute

// room reports that so many new offsets are within the bound, and counts them.
func (g *Groups) room(fresh, maxOffsets int) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := time.Now(); g.counted.IsZero() || maxOffsets > 0 && g.bound+fresh > maxOffsets && now.Sub(g.counted) > countAgain {
		g.bound, g.counted = 0, now
		if err := g.each([]byte{keyGroup}, func(_, _ []byte) error { g.bound++; return nil }); err != nil {
			return false, err
		}
	}
	if maxOffsets > 0 && g.bound+fresh > maxOffsets {
		return false, nil
	}
	g.bound += fresh
	return true, nil
}

var errTooManyOffsets = fmt.Errorf("%w: groups have committed too many offsets", PolicyViolation)

// CommitWithin is Commit, but PolicyViolation where all groups together would have more than so many offsets; 0:
// no bound. An offset that replaces another one is always kept.
func (g *Groups) CommitWithin(group string, offsets []GroupOffset, maxOffsets int) error {
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
	b, fresh := g.db.NewBatch(), 0
	for _, o := range offsets {
		if _, known, err := g.get(groupOffsetKey(group, o.Topic, o.Partition)); err != nil {
			return err
		} else if !known {
			fresh++
		}
		if t := g.topics.byID[o.Topic]; t == nil || o.Partition < 0 || int(o.Partition) >= t.Partitions {
			return UnknownTopic
		}
		if err := b.Set(groupOffsetKey(group, o.Topic, o.Partition), encodeGroupOffset(o), nil); err != nil {
			return g.fail(err)
		}
	}
	if fresh > 0 {
		if ok, err := g.room(fresh, maxOffsets); err != nil || !ok {
			return cmp.Or(err, errTooManyOffsets)
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
	if o, found := g.inMemory(group, id, partition); found {
		return o, true, nil
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
	g.mu.Lock()
	defer g.mu.Unlock()
	for of, o := range g.brief {
		if of.group == group {
			all = append(all, o)
		}
	}
	return all, err
}
