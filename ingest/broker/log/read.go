package log

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Read appends whole record batches to dst, from the one that holds offset on, and
// gives the offset after the last of them. Batches are given while they fit in
// limit bytes; with whole the first one also when it does not. At the log's end there
// is nothing to give: use Watch.
func (l *Log) Read(id domain.TopicID, partition int32, offset int64, limit int, whole bool, dst []byte) (out []byte, next int64, err error) {
	if err := l.enter(); err != nil {
		return dst, offset, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return dst, offset, err
	}
	start, end := p.bounds()
	if offset < start || offset > end {
		return dst, offset, fmt.Errorf("%w: %d, the log is [%d,%d)", OffsetOutOfRange, offset, start, end)
	}
	if offset == end {
		return dst, offset, nil
	}
	at := len(dst)
	p.mu.Lock()
	dst, next, ok := p.recent.read(offset, end, limit, whole, dst)
	p.mu.Unlock()
	if !ok {
		dst, next, err = p.read(offset, end, limit, whole, dst)
	}
	l.counts.read.Add(uint64(len(dst) - at))
	return dst, next, err
}

func (p *part) read(offset, end int64, limit int, whole bool, dst []byte) (out []byte, next int64, err error) {
	if s, lost := p.lostAt(offset); lost {
		return p.tell(s, offset, dst)
	}
	it, err := p.iter(end)
	if err != nil {
		return dst, offset, err
	}
	defer it.Close()
	k, found, err := p.seek(it, offset)
	if err != nil && p.log.db.Corrupted(err) {
		return p.around(offset, end, dst, err)
	}
	if err != nil {
		return dst, offset, err
	}
	if !found {
		return dst, offset, p.missing(offset)
	}
	next = offset
	for n := 0; ; {
		if n += len(k.batch); n > limit && !whole {
			return dst, next, nil
		}
		whole = false
		dst, next = append(dst, k.batch...), k.next
		if !it.Next() {
			err = p.iterError(it)
		} else if k, err = p.at(it); err == nil {
			continue
		}
		if p.log.db.Corrupted(err) { // the next reader's
			err = nil
		}
		return dst, next, err
	}
}

// missing explains why no block holds an offset: it was deleted a moment ago, or
// with its topic, or the store is damaged.
func (p *part) missing(offset int64) error {
	p.mu.Lock()
	start, gone := p.start, p.gone
	p.mu.Unlock()
	switch {
	case gone:
		return UnknownTopic
	case offset < start:
		return OffsetOutOfRange
	}
	return p.log.fail(fmt.Errorf("topic %s partition %d: no block holds offset %d", p.id, p.index, offset))
}

// Bounds are a partition's first offset and the offset after its last durable one.
func (l *Log) Bounds(id domain.TopicID, partition int32) (start, end int64, err error) {
	if err := l.enter(); err != nil {
		return -1, -1, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, -1, err
	}
	start, end = p.bounds()
	return start, end, nil
}

// EpochAt is the leader epoch that wrote an offset, or would write it at the end.
func (l *Log) EpochAt(id domain.TopicID, partition int32, offset int64) (int32, error) {
	if err := l.enter(); err != nil {
		return -1, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epochs.at(offset), nil
}

// EpochEnd finds the greatest leader epoch of a partition that is not above the one
// given, and the offset after its last record: a reader that has read beyond it in
// that epoch has read another log. An epoch above all gives -1, -1.
func (l *Log) EpochEnd(id domain.TopicID, partition, epoch int32) (found int32, end int64, err error) {
	if err := l.enter(); err != nil {
		return -1, -1, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, -1, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	found, end = p.epochs.ends(epoch, p.end)
	return found, end, nil
}

// Watch sends on wake, without waiting, whenever a partition's end moves, until
// Unwatch. A channel of one element misses nothing.
func (l *Log) Watch(id domain.TopicID, partition int32, wake chan<- struct{}) {
	if p, err := l.part(id, partition); err == nil {
		p.mu.Lock()
		p.waiting[wake] = struct{}{}
		p.mu.Unlock()
	}
}

// Unwatch ends Watch.
func (l *Log) Unwatch(id domain.TopicID, partition int32, wake chan<- struct{}) {
	if p, err := l.part(id, partition); err == nil {
		p.mu.Lock()
		delete(p.waiting, wake)
		p.mu.Unlock()
	}
}
