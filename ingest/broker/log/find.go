package log

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// find halves the offsets by the blocks' newest, which never falls, and continues from
// there batch by batch: where times are out of order, or the newest was deleted, the
// first few may all be too early.
func (b *blocks) find(ms, start, end int64) (offset, at int64, err error) {
	it, err := b.iter(end)
	if err != nil {
		return -1, -1, err
	}
	defer it.Close()
	low, high := start, end // blocks that begin below low are too early; the one at high is not
	for low < high {
		mid := low + (high-low)/2
		k, err := b.seek(it, mid)
		switch {
		case err == nil && k.newest < ms:
			low = k.next
		case err == nil:
			high = max(min(k.base, mid), low)
		case b.sparse && errors.As(err, new(noBlock)):
			high = mid
		default:
			return -1, -1, err
		}
	}
	if low >= end {
		return -1, -1, nil
	}
	k, err := b.seek(it, low)
	for err == nil {
		h := recordbatch.Parse(k.batch)
		if h.MaxTime >= ms {
			if offset, at, found, err := b.within(k, &h, ms, start); err != nil || found {
				return offset, at, err
			}
		}
		if !it.Next() {
			return -1, -1, b.iterError(it)
		}
		k, err = b.at(it)
	}
	if b.sparse && errors.As(err, new(noBlock)) {
		err = nil
	}
	return -1, -1, err
}

// within finds the first record of a batch at or after ms, not below start.
func (b *blocks) within(k block, h *recordbatch.Header, ms, start int64) (offset, at int64, found bool, err error) {
	if h.Attributes&recordbatch.LogAppendTime != 0 {
		return max(k.base, start), h.MaxTime, true, nil
	}
	err = b.unpack.records(k.batch, func(records []byte) (err error) {
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
		return -1, -1, false, b.store.unreadable(fmt.Errorf("%w: %w", errDamaged, err))
	}
	return offset, at, found, nil
}
