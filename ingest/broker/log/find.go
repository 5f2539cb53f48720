package log

import (
	"fmt"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
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

// find halves the offsets by the blocks' newest, which never falls, and continues from
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
		h := recordbatch.Parse(k.batch)
		if h.MaxTime < ms {
			continue
		}
		if offset, at, found, err := p.log.within(k, &h, ms, start); err != nil || found {
			return offset, at, err
		}
	}
	return -1, -1, p.iterError(it)
}

// within finds the first record of a batch at or after ms, not below start.
func (l *Log) within(k block, h *recordbatch.Header, ms, start int64) (offset, at int64, found bool, err error) {
	if h.Attributes&recordbatch.LogAppendTime != 0 {
		return max(k.base, start), h.MaxTime, true, nil
	}
	err = l.withRecords(k.batch, func(records []byte) (err error) {
		for range h.Count {
			r, rest, err := recordbatch.Next(records, true)
			if err != nil {
				return err
			}
			records = rest
			offset = k.base + r.OffsetDelta
			at = h.FirstTime + r.TimeDelta
			if offset >= start && at >= ms {
				found = true
				return nil
			}
		}
		return nil
	})
	if err != nil { // it was checked before it was stored
		return -1, -1, false, l.unreadable(fmt.Errorf("%w: %w", errDamaged, err))
	}
	return offset, at, found, nil
}
