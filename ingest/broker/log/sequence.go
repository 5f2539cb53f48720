package log

import (
	"errors"
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// maxProducers bounds the producers a partition remembers; the one that has been
// silent longest is evicted for a new one.
const maxProducers = 4096

// producer is what a partition knows of an idempotent producer: its last batches,
// oldest first. A value is never changed once it is in the partition's map.
type producer struct {
	epoch int16
	n     int
	last  [5]appended
}

// appended is one batch of a producer: its sequences, its base offset and the time
// of its append (-1 where the topic keeps the producers' times).
type appended struct {
	first, last int32
	base, stamp int64
}

// sequenced decides about a batch with a producer id: it is a repeat of the
// one returned, or it is next and then is the producer's state with it. old may be
// nil: then any sequence is the first, since state can have been given up. Sequences
// continue at 0 after 2^31-1.
func (old *producer) sequenced(h *recordbatch.Header) (repeat *appended, then *producer, err error) {
	e := appended{first: h.Sequence, last: addSequence(h.Sequence, h.Count-1)}
	switch {
	case old == nil || h.ProducerEpoch > old.epoch && h.Sequence == 0:
		then = &producer{epoch: h.ProducerEpoch, n: 1}
		then.last[0] = e
		return nil, then, nil
	case h.ProducerEpoch < old.epoch:
		return nil, nil, fmt.Errorf("%w: %d, now %d", InvalidProducerEpoch, h.ProducerEpoch, old.epoch)
	case h.ProducerEpoch > old.epoch:
		return nil, nil, fmt.Errorf("%w: a new epoch starts with %d", OutOfOrderSequence, h.Sequence)
	}
	for i := range old.n {
		if l := &old.last[i]; l.first == e.first && l.last == e.last {
			return l, nil, nil
		}
	}
	if want := addSequence(old.newest().last, 1); h.Sequence != want {
		return nil, nil, fmt.Errorf("%w: %d, want %d", OutOfOrderSequence, h.Sequence, want)
	}
	then = new(producer)
	*then = *old
	if then.n == len(then.last) {
		copy(then.last[:], then.last[1:])
		then.n--
	}
	then.last[then.n] = e
	then.n++
	return nil, then, nil
}

// newest is the producer's last batch.
func (old *producer) newest() *appended { return &old.last[old.n-1] }

// addSequence is n sequences on; n is not negative.
func addSequence(sequence, n int32) int32 {
	return int32((int64(sequence) + int64(n)) & math.MaxInt32)
}

// producers are those that a partition remembers, by id.
type producers map[int64]*producer

func (all producers) load(b *blocks) error {
	prefix := b.key(keyProducer)
	return b.store.each(prefix, func(key, value []byte) error {
		s, err := decodeProducer(value)
		if err != nil || s.n == 0 || len(key) != len(prefix)+8 {
			return errors.Join(errDamaged, err)
		}
		all[int64(u64(key[len(prefix):]))] = s
		return nil
	})
}

// stage writes what a producer is from now on. evicted is the one that is forgotten for it,
// or -1.
func (all producers) stage(b *pebble.Batch, p partID, id int64, then *producer) (evicted int64, err error) {
	var buf [4 + 5*24]byte
	if err := b.Set(p.producerKey(id), then.encode(buf[:0]), nil); err != nil {
		return -1, err
	}
	if all[id] != nil || len(all) < maxProducers {
		return -1, nil
	}
	evicted = all.silent()
	return evicted, b.Delete(p.producerKey(evicted), nil)
}

// silent is the producer that appended longest ago.
func (all producers) silent() (id int64) {
	oldest := int64(math.MaxInt64)
	for k, s := range all {
		if s.newest().base < oldest {
			id, oldest = k, s.newest().base
		}
	}
	return id
}
