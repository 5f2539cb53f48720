package log

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// Pending is a batch on its way to the disk.
type Pending struct {
	p       *part
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
func (l *Log) Append(id domain.TopicID, partition int32, batch []byte) (base, stamp int64, done *Pending, err error) {
	if err := l.enter(); err != nil {
		return -1, -1, nil, err
	}
	defer l.leave()
	p, err := l.part(id, partition)
	if err != nil {
		return -1, -1, nil, err
	}
	if len(batch) > p.maxBatch {
		return -1, -1, nil, MessageTooLarge
	}
	h, err := l.check(batch, p.appendTime)
	if err != nil {
		return -1, -1, nil, err
	}
	if err := l.room(); err != nil {
		return -1, -1, nil, err
	}
	if p.appendTime {
		if err := l.timed(); err != nil {
			return -1, -1, nil, err
		}
	}
	w, at, err := p.append(&h, batch)
	if err != nil {
		return -1, -1, nil, err
	}
	return at.base, at.stamp, w, nil
}

// check parses a batch down to the lengths of its records, and sets its max time
// right.
func (l *Log) check(batch []byte, appendTime bool) (recordbatch.Header, error) {
	h, err := checkHeader(batch)
	if err != nil {
		return h, err
	}
	if !appendTime && h.Attributes&recordbatch.LogAppendTime != 0 {
		return h, InvalidTimestamp
	}
	latest := int64(0)
	err = l.withRecords(batch, func(records []byte) (err error) {
		latest, err = checkRecords(records, &h)
		return err
	})
	if err != nil {
		return h, err
	}
	if !appendTime && latest != h.MaxTime {
		h.MaxTime = latest
		recordbatch.SetMaxTime(batch, latest, false)
	}
	return h, nil
}

// append is the part of Append that is in order.
func (p *part) append(h *recordbatch.Header, batch []byte) (*Pending, appended, error) {
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
		at.stamp = max(p.newest, p.log.opts.Now().UnixMilli())
		h.MaxTime = at.stamp
		recordbatch.SetMaxTime(batch, at.stamp, true)
	}
	recordbatch.Place(batch, at.base, p.log.epoch)
	newest := max(p.newest, h.MaxTime)
	b := p.log.db.NewBatchWithSize(len(batch) + 512)
	gone, err := p.stage(b, h, then, at, newest, batch)
	if err != nil {
		return nil, appended{}, p.log.fail(err)
	}
	applied, err := p.log.db.Apply(b)
	if err != nil {
		return nil, appended{}, stopped(err)
	}
	p.next, p.newest, p.unwritten = at.base+int64(h.Count), newest, false
	p.recent.add(at.base, p.next, batch)
	if then != nil {
		delete(p.producers, gone)
		p.producers[h.Producer] = then
	}
	p.log.counts.appends.Add(1)
	p.log.counts.bytes.Add(uint64(len(batch)))
	return &Pending{p, applied, p.next}, at, nil
}

// stage writes a batch and what changes with it into one batch of the store. gone is
// the producer that was evicted, or -1.
func (p *part) stage(
	b *pebble.Batch, h *recordbatch.Header, then *producer, at appended, newest int64, batch []byte,
) (gone int64, err error) {
	d := b.SetDeferred(partKeyLen+8, blockHead+len(batch))
	copy(d.Key, partKey(keyBlock, p.id, p.index))
	binary.BigEndian.PutUint64(d.Key[partKeyLen:], uint64(at.base))
	d.Value[0] = valueVersion
	binary.BigEndian.PutUint64(d.Value[1:], uint64(newest))
	copy(d.Value[blockHead:], batch)
	if err := d.Finish(); err != nil {
		return -1, err
	}
	if p.unwritten {
		e := p.epochs[len(p.epochs)-1]
		if err := b.Set(epochAtKey(p.id, p.index, e.epoch), encodeNumber(e.start), nil); err != nil {
			return -1, err
		}
	}
	if then == nil {
		return -1, nil
	}
	then.newest().base, then.newest().stamp = at.base, at.stamp
	var buf [4 + 5*24]byte
	if err := b.Set(producerKey(p.id, p.index, h.Producer), then.encode(buf[:0]), nil); err != nil {
		return -1, err
	}
	if p.producers[h.Producer] != nil || len(p.producers) < maxProducers {
		return -1, nil
	}
	gone = silent(p.producers)
	return gone, b.Delete(producerKey(p.id, p.index, gone), nil)
}

// again answers a repeat: the first one may not be durable yet, so an fsync of what
// the WAL has by now is waited for.
func (p *part) again(first *appended, h *recordbatch.Header) (*Pending, error) {
	b := p.log.db.NewBatch()
	if err := b.LogData(nil, nil); err != nil {
		return nil, p.log.fail(err)
	}
	applied, err := p.log.db.Apply(b)
	if err != nil {
		return nil, stopped(err)
	}
	p.log.counts.repeats.Add(1)
	return &Pending{p, applied, first.base + int64(h.Count)}, nil
}

// producerIDs is how many ids are taken from the store at once.
const producerIDs = 1000

// NewProducerID is an id that no producer had before.
func (l *Log) NewProducerID() (int64, error) {
	if err := l.enter(); err != nil {
		return -1, err
	}
	defer l.leave()
	ids := &l.producers
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.next == ids.upTo {
		if err := l.set([]byte{keyProducers}, encodeNumber(ids.upTo+producerIDs)); err != nil {
			return -1, err
		}
		ids.upTo += producerIDs
	}
	ids.next++
	return ids.next - 1, nil
}
