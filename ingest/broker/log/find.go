package log

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Find gives the first record at or after a time (ms since 1970): that of the first
// batch whose max time is not before it. Without one it gives -1, -1.
func (l *Log) Find(id domain.TopicID, partition int32, ms int64) (offset, at int64, err error) {
	if err := l.enter(); err != nil {
		return -1, -1, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, -1, err
	}
	start, end := p.bounds()
	if start == end {
		return -1, -1, nil
	}
	return p.find(ms, start, end)
}

// find halves the offsets by the blocks' newest, which never falls, and goes on from
// there batch by batch: where times are out of order, or the newest was deleted, the
// first few may all be too early.
func (p *part) find(ms, start, end int64) (offset, at int64, err error) {
	it, err := p.iter(end)
	if err != nil {
		return -1, -1, err
	}
	defer it.Close()
	low, high := start, end // blocks that begin below low are too early; the one at high is not
	for low < high {
		mid := low + (high-low)/2
		k, found, err := p.seek(it, mid)
		if err != nil {
			return -1, -1, err
		}
		switch {
		case !found:
			return -1, -1, p.missing(mid)
		case k.newest < ms:
			low = k.next
		default:
			high = max(k.base, low)
		}
	}
	if low >= end {
		return -1, -1, nil
	}
	for ok := it.SeekLT(blockKey(p.id, p.index, low+1)); ok; ok = it.Next() {
		k, err := p.at(it)
		if err != nil {
			return -1, -1, err
		}
		if int64(u64(k.batch[atMax:])) < ms {
			continue
		}
		if offset, at, found, err := p.log.within(k, ms, start); err != nil || found {
			return offset, at, err
		}
	}
	return -1, -1, p.iterError(it)
}

// within finds the record in a batch, not below start.
func (l *Log) within(k block, ms, start int64) (offset, at int64, found bool, err error) {
	if uint16(k.batch[atAttrs+1])&attrLogAppendTime != 0 {
		return max(k.base, start), int64(u64(k.batch[atMax:])), true, nil
	}
	z := <-l.checks
	defer func() { l.checks <- z }()
	body, err := z.body(k.batch)
	if err != nil { // it was checked before it was stored
		return -1, -1, false, l.unreadable(fmt.Errorf("%w: %w", errDamaged, err))
	}
	count, first := int32(u32(k.batch[atCount:])), int64(u64(k.batch[atFirst:]))
	delta, at, found := firstAt(body, count, first, ms, start-k.base)
	if !found {
		return -1, -1, false, nil
	}
	return k.base + delta, at, true, nil
}
