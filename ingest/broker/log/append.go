package log

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Pending is a batch on its way to the disk.
type Pending struct {
	p       *Partition
	applied *pebblefs.Applied
	end     int64 // what readers see once it is durable
}

// Wait returns when the batch is durable and readers see it. It is called once.
func (w *Pending) Wait() error {
	if err := w.applied.Wait(); err != nil {
		return stopped(err)
	}
	w.p.advance(w.end)
	return nil
}

// Append gives a record batch its offsets and hands it to the disk; it is
// acknowledged by done.Wait, which must be called. So several appends can be begun
// and share one fsync. The batch is changed in place: offset, epoch, and where the
// log's time or a wrong max time asks for it, time and CRC. stamp is the time of the
// append, or -1 where the topic keeps the producers' times. A repeat of one of a producer's
// last five batches gives the answer of the first time.
func (p *Partition) Append(batch []byte) (base, stamp int64, done *Pending, err error) {
	if err := p.enter(); err != nil {
		return -1, -1, nil, err
	}
	defer p.leave()
	if len(batch) > p.maxBatch {
		return -1, -1, nil, MessageTooLarge
	}
	h, err := p.unpack.check(batch, p.appendTime)
	if err != nil {
		return -1, -1, nil, err
	}
	if err := p.space.check(); err != nil {
		return -1, -1, nil, err
	}
	if p.appendTime {
		if err := p.clock.check(); err != nil {
			return -1, -1, nil, err
		}
	}
	var records []single
	if p.blocks.sparse {
		if records, err = p.singles(&h, batch); err != nil {
			return -1, -1, nil, err
		}
	}
	w, at, err := p.append(&h, batch, records)
	if err != nil {
		return -1, -1, nil, err
	}
	return at.base, at.stamp, w, nil
}

// append is the part of Append that is in order. Of a compacted topic records are those of the batch.
func (p *Partition) append(h *recordbatch.Header, batch []byte, records []single) (*Pending, appended, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, appended{}, UnknownTopic
	}
	var then *producer
	if h.Producer >= 0 {
		repeat, next, err := p.producers[h.Producer].sequenced(h)
		if err != nil {
			return nil, appended{}, err
		}
		if repeat != nil {
			w, err := p.again(repeat, h)
			return w, *repeat, err
		}
		then = next
	}
	at := appended{base: p.next, stamp: -1}
	if p.appendTime {
		at.stamp = max(p.newest, p.now().UnixMilli())
		h.MaxTime = at.stamp
		recordbatch.SetMaxTime(batch, at.stamp, true)
	}
	recordbatch.Place(batch, at.base, p.epoch)
	newest := max(p.newest, h.MaxTime)
	b := p.db.NewBatchWithSize(len(batch) + 512)
	gone, err := int64(-1), error(nil)
	var taken replaced
	if p.blocks.sparse {
		taken, err = p.stageSingles(b, h, at, records)
	} else {
		err = p.stageBlock(b, at.base, newest, batch)
	}
	if err == nil {
		gone, err = p.stageState(b, h, then, at)
	}
	if err != nil {
		return nil, appended{}, p.fail(err)
	}
	applied, err := p.db.Apply(b)
	if err != nil {
		return nil, appended{}, stopped(err)
	}
	p.next = at.base + int64(h.Count)
	p.newest = newest
	p.history.unwritten = false
	if p.blocks.sparse {
		p.keepSingles(taken, at.base, records)
	} else {
		p.recent.add(at.base, p.next, batch)
	}
	if then != nil {
		delete(p.producers, gone)
		p.producers[h.Producer] = then
	}
	p.counts.appends.Add(1)
	p.counts.bytes.Add(uint64(len(batch)))
	return &Pending{p, applied, p.next}, at, nil
}

// stageBlock writes a batch into one of the store.
func (p *Partition) stageBlock(b *pebble.Batch, base, newest int64, batch []byte) error {
	d := b.SetDeferred(partKeyLen+8, blockHead+len(batch))
	copy(d.Key, p.blocks.blockKey(base))
	d.Value[0] = valueVersion
	binary.BigEndian.PutUint64(d.Value[1:], uint64(newest))
	copy(d.Value[blockHead:], batch)
	return d.Finish()
}

// stageState writes what an append changes beside. gone is the producer that was evicted, or -1.
func (p *Partition) stageState(
	b *pebble.Batch, h *recordbatch.Header, then *producer, at appended,
) (gone int64, err error) {
	if err := p.history.stage(b, p.blocks.partID); err != nil {
		return -1, err
	}
	if then == nil {
		return -1, nil
	}
	then.newest().base, then.newest().stamp = at.base, at.stamp
	return p.producers.stage(b, p.blocks.partID, h.Producer, then)
}

// again answers a repeat: the first one may not be durable yet, so an fsync of what
// the WAL has by now is waited for.
func (p *Partition) again(first *appended, h *recordbatch.Header) (*Pending, error) {
	p.counts.repeats.Add(1)
	return p.logged(first.base + int64(h.Count))
}

// logged is an fsync of what the WAL has by now. After it readers see all up to end.
func (p *Partition) logged(end int64) (*Pending, error) {
	b := p.db.NewBatch()
	if err := b.LogData(nil, nil); err != nil {
		return nil, p.fail(err)
	}
	applied, err := p.db.Apply(b)
	if err != nil {
		return nil, stopped(err)
	}
	return &Pending{p, applied, end}, nil
}

// advance shows readers what an fsync has made durable: all up to end, since the
// WAL keeps order.
func (p *Partition) advance(end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if end <= p.end {
		return
	}
	p.end = end
	for c := range p.watchers {
		select {
		case c <- struct{}{}:
		default: // it has not seen the last one yet
		}
	}
}
