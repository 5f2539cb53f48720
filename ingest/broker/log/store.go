package log

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// load reads what the log needs in memory, and begins a new epoch.
func (l *Log) load() error {
	if err := l.checkFormat(); err != nil {
		return err
	}
	if err := l.loadCluster(); err != nil {
		return err
	}
	if err := l.nextEpoch(); err != nil {
		return err
	}
	if v, found, err := l.get([]byte{keyProducers}); err != nil {
		return err
	} else if found {
		if l.producers.next, err = decodeNumber(v); err != nil {
			return err
		}
		l.producers.upTo = l.producers.next
	}
	if err := l.loadTopics(); err != nil {
		return err
	}
	l.beginClock()
	return nil
}

// checkFormat refuses a store that is not a log or one of another version, and
// marks an empty one.
func (l *Log) checkFormat() error {
	v, found, err := l.get([]byte{keyFormat})
	switch {
	case err != nil:
		return err
	case found && len(v) != 1:
		return errors.New("the directory holds a store of another program")
	case found && v[0] != formatVersion:
		return fmt.Errorf("the log has format version %d, this binary reads version %d: use the binary that wrote it, or begin with an empty directory", v[0], formatVersion)
	case found:
		return nil
	}
	empty := true
	if err := l.each(nil, func([]byte, []byte) error { empty = false; return nil }); err != nil {
		return err
	}
	if !empty {
		return errors.New("the directory holds a store without format version: it is not a log")
	}
	return l.set([]byte{keyFormat}, []byte{formatVersion})
}

func (l *Log) loadCluster() error {
	v, found, err := l.get([]byte{keyCluster})
	if err != nil {
		return err
	}
	if found {
		c := open(v)
		l.cluster = string(c.take(22))
		return c.end()
	}
	l.cluster = newClusterID()
	return l.set([]byte{keyCluster}, append([]byte{valueVersion}, l.cluster...))
}

var epochZero = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// nextEpoch takes an epoch above all before: the minutes since 2020 make it one too
// where the log was restored from a copy that does not know the last openings.
func (l *Log) nextEpoch() error {
	v, found, err := l.get([]byte{keyEpoch})
	if err != nil {
		return err
	}
	previous := int32(-1)
	if found {
		if previous, err = decodeEpoch(v); err != nil {
			return err
		}
	}
	if previous == math.MaxInt32 {
		return errors.New("leader epochs are used up")
	}
	minutes := int64(l.opts.Now().Sub(epochZero) / time.Minute)
	l.epoch = max(previous+1, int32(min(max(minutes, 0), math.MaxInt32-1)))
	return l.set([]byte{keyEpoch}, encodeEpoch(l.epoch))
}

// sync makes a batch durable.
func (l *Log) sync(b *pebble.Batch) error {
	return stopped(l.db.Commit(b, pebble.Sync))
}

func (l *Log) set(key, value []byte) error {
	b := l.db.NewBatch()
	if err := b.Set(key, value, nil); err != nil {
		return l.fail(err)
	}
	return l.sync(b)
}

// get is a copy of a value.
func (l *Log) get(key []byte) (value []byte, found bool, err error) {
	v, c, err := l.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, l.fail(err)
	}
	value = append(value, v...)
	return value, true, c.Close()
}

// each calls f with the keys that start with prefix, in order; all for nil. The
// slices are valid during the call.
func (l *Log) each(prefix []byte, f func(key, value []byte) error) error {
	o := &pebble.IterOptions{LowerBound: prefix}
	if prefix != nil {
		o.UpperBound = after(prefix)
	}
	it, err := l.db.NewIter(o)
	if err != nil {
		return l.fail(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return l.fail(err)
		}
		if err := f(it.Key(), v); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return l.fail(err)
	}
	return nil
}

func u32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
