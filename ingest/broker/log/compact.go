package log

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// A compacted topic has of each key the newest record alone: an append takes the one before away in the same write.
// Its batches have one record each, so that no other record goes with it. A record without a value is a tombstone; it
// stays for delete.retention.ms, so that readers that are behind learn of it, but for the last record of the
// partition, which has the offset that appends go on from. What is taken away leaves the files with Reclaim.

// single is one record of a batch, as a batch of its own without its place.
type single struct {
	key       string
	tombstone bool
	batch     []byte
	maxTime   int64
}

// newestRecord is where the newest record of a key is.
type newestRecord struct {
	base      int64
	tombstone bool
}

// replaced are the batches of a compacted topic that appends have taken away.
type replaced struct {
	low, high int64 // the bases of those that the files may still have
	end       int64 // after the last append that took one away: what a crash can bring back is below it
}

func (r *replaced) add(base int64) {
	if r.low == r.high {
		r.low, r.high = base, base
	}
	r.low, r.high = min(r.low, base), max(r.high, base+1)
}

// singles takes a checked batch apart.
func (p *Partition) singles(h *recordbatch.Header, batch []byte) (all []single, err error) {
	err = p.unpack.records(batch, func(records []byte) error {
		all = make([]single, 0, h.Count)
		for i := range h.Count {
			r, rest, err := recordbatch.Next(records, true)
			if err != nil {
				return fmt.Errorf("%w: %w", InvalidRecord, err)
			}
			if r.Key == nil {
				return fmt.Errorf("%w: record %d has no key, and the topic is compacted", InvalidRecord, i)
			}
			records = rest
			all = append(all, singleOf(h, &r, i))
		}
		return nil
	})
	return all, err
}

// singleOf makes a batch of the i-th record of one.
func singleOf(h *recordbatch.Header, r *recordbatch.Record, i int32) single {
	body := make([]byte, 0, len(r.Key)+len(r.Value)+len(r.Headers.Bytes)+24)
	body = append(body, 0, 0, 0) // no attributes; time and offset are the batch's
	body = appendField(body, r.Key)
	body = appendField(body, r.Value)
	body = append(binary.AppendVarint(body, int64(r.Headers.Count)), r.Headers.Bytes...)
	b := make([]byte, recordbatch.HeaderSize, recordbatch.HeaderSize+binary.MaxVarintLen32+len(body))
	b = append(binary.AppendVarint(b, int64(len(body))), body...)
	at := h.FirstTime + r.TimeDelta
	one := recordbatch.Header{Epoch: -1, FirstTime: at, MaxTime: at, Producer: h.Producer, ProducerEpoch: -1, Sequence: -1, Count: 1}
	if h.Producer >= 0 {
		one.ProducerEpoch, one.Sequence = h.ProducerEpoch, addSequence(h.Sequence, i)
	}
	one.Put(b)
	return single{key: string(r.Key), tombstone: r.Value == nil, batch: b, maxTime: at}
}

// appendField appends a key or a value; nil is null.
func appendField(dst, v []byte) []byte {
	if v == nil {
		return binary.AppendVarint(dst, -1)
	}
	return append(binary.AppendVarint(dst, int64(len(v))), v...)
}

// stageSingles writes records into a batch of the store, and takes away what they replace.
func (p *Partition) stageSingles(b *pebble.Batch, h *recordbatch.Header, at appended, records []single) (taken replaced, err error) {
	inBatch := make(map[string]newestRecord, len(records))
	newest := p.newest
	for i := range records {
		r, base := &records[i], at.base+int64(i)
		old, found := inBatch[r.key]
		if !found {
			if old, found, err = p.blocks.newest(r.key); err != nil {
				return taken, err
			}
		}
		if found {
			if err := p.blocks.stageGone(b, old); err != nil {
				return taken, err
			}
			taken.add(old.base)
		}
		if at.stamp >= 0 {
			r.maxTime = at.stamp
			recordbatch.SetMaxTime(r.batch, at.stamp, true)
		}
		recordbatch.Place(r.batch, base, p.epoch)
		newest = max(newest, r.maxTime)
		inBatch[r.key] = newestRecord{base, r.tombstone}
		if err := p.stageSingle(b, base, newest, r); err != nil {
			return taken, err
		}
	}
	return taken, nil
}

func (p *Partition) stageSingle(b *pebble.Batch, base, newest int64, r *single) error {
	if err := p.stageBlock(b, base, newest, r.batch); err != nil {
		return err
	}
	key := p.blocks.newestKey([]byte(r.key))
	if err := b.Set(key, encodeNewest(newestRecord{base, r.tombstone}), nil); err != nil || !r.tombstone {
		return err
	}
	return b.Set(p.blocks.tombstoneKey(base), encodeTombstone(p.now().UnixMilli(), []byte(r.key)), nil)
}

// stageGone takes a record away.
func (b *blocks) stageGone(into *pebble.Batch, old newestRecord) error {
	if old.tombstone {
		if err := into.Delete(b.tombstoneKey(old.base), nil); err != nil {
			return err
		}
	}
	return into.Delete(b.blockKey(old.base), nil)
}

// newest is where the newest record of a key is.
func (b *blocks) newest(key string) (n newestRecord, found bool, err error) {
	v, found, err := b.store.find(b.newestKey([]byte(key)))
	if err != nil || !found {
		return n, false, err
	}
	if n, err = decodeNewest(v); err != nil {
		return n, false, b.store.unreadable(fmt.Errorf("%s: newest record of a key: %w", b.partID, err))
	}
	return n, true, nil
}

// keepSingles notes an append of records. It is called with the lock held.
func (p *Partition) keepSingles(taken replaced, base int64, records []single) {
	if taken.low < taken.high {
		p.replaced.add(taken.low)
		p.replaced.add(taken.high - 1)
		p.replaced.end = p.next
		p.recent.reset()
	}
	if taken.high > base { // of its own records
		return
	}
	for i := range records {
		at := base + int64(i)
		p.recent.add(at, at+1, records[i].batch)
	}
}

// settle returns when no crash can bring back what appends have taken away. Moved says that the topic is compacted and
// its end is after the one that was seen.
func (p *Partition) settle(seen int64) (moved bool, err error) {
	p.mu.Lock()
	if p.replaced.end <= p.end {
		defer p.mu.Unlock()
		return p.blocks.sparse && seen < p.end, nil
	}
	done, err := p.logged(p.next)
	p.mu.Unlock()
	if err != nil {
		return true, err
	}
	return true, done.Wait()
}

// expireAtOnce is how many tombstones one write takes away.
const expireAtOnce = 1000

// compact takes away the tombstones that have been kept long enough, and has the files give up what was taken away.
func (p *Partition) compact(ctx context.Context) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if more, err = p.expire(); err != nil {
			return err
		}
	}
	p.mu.Lock()
	gone := p.replaced
	p.replaced.low, p.replaced.high = 0, 0
	p.mu.Unlock()
	if gone.low == gone.high {
		return nil
	}
	err := p.db.Compact(ctx, p.blocks.blockKey(gone.low), p.blocks.blockKey(gone.high), false)
	if err != nil {
		p.mu.Lock()
		p.replaced.add(gone.low)
		p.replaced.add(gone.high - 1)
		p.mu.Unlock()
	}
	return err
}

// expire takes away some of the oldest tombstones.
func (p *Partition) expire() (more bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, err := p.blocks.tombstones(p.now().Add(-p.keep).UnixMilli(), p.next-1, expireAtOnce)
	if err != nil || len(old) == 0 || p.gone {
		return false, err
	}
	b := p.db.NewBatch()
	for _, t := range old {
		err := b.Delete(p.blocks.newestKey(t.key), nil)
		if err == nil {
			err = p.blocks.stageGone(b, newestRecord{t.base, true})
		}
		if err != nil {
			return false, p.fail(err)
		}
		p.replaced.add(t.base)
	}
	p.recent.reset()
	return len(old) == expireAtOnce, p.sync(b)
}

// tombstone is a record that deletes its key.
type tombstone struct {
	base int64
	key  []byte
}

// tombstones are the oldest of those that were appended up to a time, at bases below one.
func (b *blocks) tombstones(upTo, below int64, maxTombstones int) (old []tombstone, err error) {
	it, err := b.store.db.NewIter(&pebble.IterOptions{LowerBound: b.tombstoneKey(0), UpperBound: b.tombstoneKey(max(below, 0))})
	if err != nil {
		return nil, b.store.unreadable(err)
	}
	defer it.Close()
	for ok := it.First(); ok && len(old) < maxTombstones; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return nil, b.store.unreadable(err)
		}
		ms, key, err := decodeTombstone(v)
		if err != nil || len(it.Key()) != partKeyLen+8 {
			return nil, b.store.unreadable(fmt.Errorf("%s: tombstone: %w", b.partID, errDamaged))
		}
		if ms > upTo {
			break
		}
		old = append(old, tombstone{int64(u64(it.Key()[partKeyLen:])), bytes.Clone(key)})
	}
	return old, b.iterError(it)
}
