package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/storage/background"
)

// unreadable is an error of reading: that of the one who reads, if it is damage, else
// the log's.
func (l *Log) unreadable(err error) error {
	if !l.damage.Is(err) {
		return l.fail(err)
	}
	return fmt.Errorf("%w: %w", StorageError, err)
}

// listener hears of what Pebble meets by itself.
func (l *Log) listener() *pebble.EventListener {
	return &pebble.EventListener{
		// Not flushes: an append waits for them where they are slow.
		CompactionBegin: func(pebble.CompactionInfo) { background.Yield() },
		BackgroundError: func(err error) { l.ends(l.damage.Background(err)) },
		DataCorruption:  l.damage.Found,
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) { l.ends(l.damage.Stalled(i.Reason)) },
	}
}

// ends stops the log, if there is an error.
func (l *Log) ends(err error) {
	if err != nil {
		_ = l.fail(err)
	}
}

// around gives one batch where an iterator met damage. It asks for keys one by one: an
// iterator looks into every table whose bounds it crosses, a Get, by the filters, into
// the one that has the key; so what is beside the damage is read all the same.
func (p *part) around(offset, end int64, dst []byte) (out []byte, next int64, err error) {
	for base := offset; base >= 0 && base > offset-mostRecords; base-- { // it may stand within a batch
		k, ok := p.block(base)
		if ok && k.next > offset {
			return append(dst, k.batch...), k.next, nil
		}
		if ok {
			break
		}
	}
	return p.lost(offset, end, dst)
}

// mostRecords is how many records of a batch are counted on.
const mostRecords = 10_000

// block is a copy of the block at a base, if it can be read.
func (p *part) block(base int64) (k block, ok bool) {
	key := blockKey(p.id, p.index, base)
	v, done, err := p.log.db.Get(key)
	if err != nil {
		return k, false
	}
	k, err = decodeBlock(key, bytes.Clone(v))
	return k, errors.Join(err, done.Close()) == nil
}

// lost gives in the place of what cannot be read what a broker gives whose disk flipped a
// bit in a batch: a batch, here no more than a head, whose checksum does not match. It
// takes the offsets from the one asked for to the next that can be read, so that readers
// know what they miss, and where they may go on.
func (p *part) lost(offset, end int64, dst []byte) (out []byte, next int64, err error) {
	for next = offset + 1; next < min(end, offset+math.MaxInt32); next++ {
		if _, ok := p.block(next); ok {
			break
		}
	}
	p.mu.Lock()
	epoch := p.epochs.at(offset)
	p.mu.Unlock()
	be, b := binary.BigEndian, make([]byte, atRecords)
	be.PutUint64(b, uint64(offset))
	be.PutUint32(b[atLength:], atRecords-atEpoch)
	be.PutUint32(b[atEpoch:], uint32(epoch))
	b[atMagic] = 2
	be.PutUint32(b[atLast:], uint32(next-1-offset))
	be.PutUint64(b[atProducer:], math.MaxUint64)
	be.PutUint32(b[atCRC:], ^crc32.Checksum(b[atAttrs:], castagnoli))
	return append(dst, b...), next, nil
}
