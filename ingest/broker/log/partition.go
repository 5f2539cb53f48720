package log

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Partition is one partition of a topic. After the topic was deleted it answers
// UnknownTopic.
type Partition struct {
	*shared
	blocks blocks

	reclaimed int64 // below it the files have nothing; of the goroutine that calls Reclaim

	appendTime bool // the topic has message.timestamp.type=LogAppendTime
	maxBatch   int
	keep       time.Duration // of tombstones, where the topic is compacted

	// mu guards what follows. It is held while a batch is given its offset and enters the
	// WAL, so that the WAL has the batches of a partition in order, and never while an fsync
	// is waited for.
	mu sync.Mutex
	offsets
	history   history
	producers producers
	recent    recent
	watchers  map[chan<- struct{}]struct{}
	replaced  replaced
	gone      bool // the topic was deleted
}

// offsets are the bounds of a partition.
type offsets struct {
	start  int64 // first offset
	end    int64 // after the last durable offset: what readers see
	next   int64 // after the last offset handed out
	newest int64 // greatest max timestamp of any batch
}

func newPartition(s *shared, t *topic, index int32) *Partition {
	return &Partition{
		shared: s, blocks: blocks{store: s.store, unpack: s.unpack, partID: partID{t.ID, index}, sparse: t.compacted},
		appendTime: t.appendTime, maxBatch: t.maxBatch, keep: t.keep,
		offsets: offsets{newest: -1}, producers: producers{}, watchers: map[chan<- struct{}]struct{}{},
		history: history{epochs: epochs{{epoch: s.epoch}}, unwritten: true},
	}
}

// load reads the partition's state from the store.
func (p *Partition) load() error {
	if v, found, err := p.get(p.blocks.key(keyFloor)); err != nil {
		return err
	} else if found {
		if p.start, p.newest, err = decodeFloor(v); err != nil {
			return err
		}
	}
	p.end = p.start
	last, found, err := p.blocks.last()
	if err != nil {
		return err
	}
	if found {
		p.end = last.next
		p.newest = max(p.newest, last.newest)
	}
	p.next = p.end
	p.replaced.high = p.end // what was taken away before the opening is not known
	if err := p.producers.load(&p.blocks); err != nil {
		return err
	}
	return p.history.load(&p.blocks, p.epoch, p.next)
}

// hold begins a call that looks at the state of a partition; release ends it.
func (p *Partition) hold() error {
	if err := p.enter(); err != nil {
		return err
	}
	p.mu.Lock()
	if p.gone {
		p.release()
		return UnknownTopic
	}
	return nil
}

func (p *Partition) release() {
	p.mu.Unlock()
	p.leave()
}

// Bounds are the first offset and the offset after the last durable one.
func (p *Partition) Bounds() (start, end int64, err error) {
	if err := p.hold(); err != nil {
		return -1, -1, err
	}
	defer p.release()
	return p.start, p.end, nil
}

// EpochAt is the leader epoch that wrote an offset, or would write it at the end.
func (p *Partition) EpochAt(offset int64) (int32, error) {
	if err := p.hold(); err != nil {
		return -1, err
	}
	defer p.release()
	return p.history.at(offset), nil
}

// EpochEnd finds the greatest leader epoch that is not above the one given, and the offset
// after its last record: a reader that has read beyond it in that epoch has read another
// log. An epoch above all gives -1, -1.
func (p *Partition) EpochEnd(epoch int32) (found int32, end int64, err error) {
	if err := p.hold(); err != nil {
		return -1, -1, err
	}
	defer p.release()
	found, end = p.history.ends(epoch, p.end)
	return found, end, nil
}

// Watch sends on wake, without waiting, whenever the end moves, until Unwatch. A channel of
// one element misses nothing.
func (p *Partition) Watch(wake chan<- struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watchers[wake] = struct{}{}
}

// Unwatch ends Watch.
func (p *Partition) Unwatch(wake chan<- struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.watchers, wake)
}

// DeleteRecords makes before the first offset, or the end for -1, and gives the first offset
// there is then: nothing moves back. The batch that holds it stays whole. Offsets
// continue where they were, however little is left.
func (p *Partition) DeleteRecords(before int64) (start int64, err error) {
	if err := p.enter(); err != nil {
		return -1, err
	}
	defer p.leave()
	applied, start, err := p.trim(before)
	if err != nil || applied == nil {
		return start, err
	}
	return start, stopped(applied.Wait())
}

// trim applies the deletion; applied is nil if there was nothing to do.
func (p *Partition) trim(before int64) (applied *pebblefs.Applied, start int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before == -1 {
		before = p.end
	}
	switch {
	case p.gone:
		return nil, -1, UnknownTopic
	case p.blocks.sparse:
		return nil, -1, fmt.Errorf("%w: the topic is compacted", PolicyViolation)
	case before < 0 || before > p.end:
		return nil, -1, fmt.Errorf("%w: %d, the log is [%d,%d)", OffsetOutOfRange, before, p.start, p.end)
	case before <= p.start:
		return nil, p.start, nil
	}
	upTo := before
	if before < p.next {
		if upTo, err = p.blocks.holding(before); err != nil {
			return nil, -1, p.fail(err)
		}
	}
	gone, kept := p.history.before(before)
	b := p.db.NewBatch()
	if err := p.stageTrim(b, before, upTo, gone); err != nil {
		return nil, -1, p.fail(err)
	}
	if applied, err = p.db.Apply(b); err != nil {
		return nil, -1, stopped(err)
	}
	p.start = before
	p.history.epochs = kept
	p.blocks.damage.forget(before)
	return applied, before, nil
}

func (p *Partition) stageTrim(b *pebble.Batch, start, upTo int64, gone epochs) error {
	if err := b.Set(p.blocks.key(keyFloor), encodeFloor(start, p.newest), nil); err != nil {
		return err
	}
	for _, e := range gone {
		if err := b.Delete(p.blocks.epochKey(e.epoch), nil); err != nil {
			return err
		}
	}
	return b.DeleteRange(p.blocks.blockKey(0), p.blocks.blockKey(upTo), nil)
}

// reclaim is Reclaim of one partition.
func (p *Partition) reclaim(ctx context.Context) error {
	if err := p.enter(); err != nil {
		return err
	}
	defer p.leave()
	if p.blocks.sparse {
		return p.compact(ctx)
	}
	p.mu.Lock()
	start := p.start
	p.mu.Unlock()
	if start <= p.reclaimed {
		return nil
	}
	if err := p.db.Compact(ctx, p.blocks.blockKey(0), p.blocks.blockKey(start), false); err != nil {
		return err
	}
	p.reclaimed = start
	return nil
}
