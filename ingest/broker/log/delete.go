package log

import (
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// DeleteRecords makes before the partition's first offset, or its end for -1, and
// gives the first offset there is then: nothing moves back. The batch that holds it
// stays whole. Offsets go on counting where they were, however little is left.
func (l *Log) DeleteRecords(id domain.TopicID, partition int32, before int64) (start int64, err error) {
	if err := l.enter(); err != nil {
		return -1, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, err
	}
	applied, start, err := p.cut(before)
	if err != nil || applied == nil {
		return start, err
	}
	return start, stopped(applied.Wait())
}

// cut applies the deletion; applied is nil if there was nothing to do.
func (p *part) cut(before int64) (applied *pebblefs.Applied, start int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before == -1 {
		before = p.end
	}
	switch {
	case p.gone:
		return nil, -1, UnknownTopic
	case before < 0 || before > p.end:
		return nil, -1, fmt.Errorf("%w: %d, the log is [%d,%d)", OffsetOutOfRange, before, p.start, p.end)
	case before <= p.start:
		return nil, p.start, nil
	}
	upTo, err := p.blockAt(before)
	if err != nil {
		return nil, -1, err
	}
	gone, kept := p.epochs.before(before)
	b := p.log.db.NewBatch()
	if err := p.stageCut(b, before, upTo, gone); err != nil {
		return nil, -1, p.log.fail(err)
	}
	if applied, err = p.log.db.Apply(b); err != nil {
		return nil, -1, stopped(err)
	}
	p.start, p.epochs = before, kept
	p.lost = slices.DeleteFunc(p.lost, func(s loss) bool { return s.next <= before })
	return applied, before, nil
}

// blockAt is the base of the block that holds an offset, or the offset at the end.
func (p *part) blockAt(offset int64) (int64, error) {
	if offset == p.next {
		return offset, nil
	}
	it, err := p.iter(maxOffset)
	if err != nil {
		return 0, err
	}
	defer it.Close()
	k, found, err := p.seek(it, offset)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, p.log.fail(fmt.Errorf("topic %s partition %d: no block holds offset %d", p.id, p.index, offset))
	}
	return k.base, nil
}

func (p *part) stageCut(b *pebble.Batch, start, upTo int64, gone epochs) error {
	if err := b.Set(partKey(keyFloor, p.id, p.index), encodeFloor(start, p.newest), nil); err != nil {
		return err
	}
	for _, e := range gone {
		if err := b.Delete(epochAtKey(p.id, p.index, e.epoch), nil); err != nil {
			return err
		}
	}
	return b.DeleteRange(blockKey(p.id, p.index, 0), blockKey(p.id, p.index, upTo), nil)
}
