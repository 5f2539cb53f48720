package log

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// unreadable is an error of reading: that of the one who reads, if it is damage, else
// the log's.
func (l *Log) unreadable(err error) error {
	if !l.db.Corrupted(err) {
		return l.fail(err)
	}
	return fmt.Errorf("%w: %w", StorageError, err)
}

// around gives one batch where an iterator met damage. It asks for keys one by one: an
// iterator looks into every table whose bounds it crosses, a Get, by the filters, into
// the one that has the key; so what is beside the damage is read all the same.
func (p *part) around(offset, end int64, dst []byte, met error) (out []byte, next int64, err error) {
	for base := offset; base >= 0 && base > offset-mostRecords; base-- { // it may be within a batch
		k, ok := p.block(base)
		if ok && k.next > offset {
			return append(dst, k.batch...), k.next, nil
		}
		if ok {
			break
		}
	}
	return p.tell(p.lose(offset, end, met), offset, dst)
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

// loss is offsets that cannot be read: [base, next), because of a file.
type loss struct {
	base, next int64
	file       string // empty: not known
}

// lose notes that what lies from offset to the next batch that can be read is lost.
func (p *part) lose(offset, end int64, met error) loss {
	s := loss{base: offset, next: offset + 1}
	for ; s.next < min(end, offset+math.MaxInt32); s.next++ {
		if _, ok := p.block(s.next); ok {
			break
		}
	}
	var bad pebblefs.BadBlock
	if errors.As(met, &bad) {
		s.file = bad.File
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.lost {
		if p.lost[i].next == s.next { // read from a later offset before
			p.lost[i].base = min(p.lost[i].base, s.base)
			return p.lost[i]
		}
	}
	p.lost = append(p.lost, s)
	return s
}

// lostAt is the loss that holds an offset, if a reader has met it.
func (p *part) lostAt(offset int64) (s loss, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.lost {
		if s.base <= offset && offset < s.next {
			return s, true
		}
	}
	return s, false
}

// tell gives in the place of what cannot be read what a broker gives whose disk flipped a
// bit in a batch: a batch, here no more than a head, whose checksum does not match. It
// takes the offsets from the one asked for to the next that can be read, so that readers
// know what they miss, and where they may go on.
func (p *part) tell(s loss, offset int64, dst []byte) (out []byte, next int64, err error) {
	p.mu.Lock()
	epoch := p.epochs.at(offset)
	p.mu.Unlock()
	return append(dst, recordbatch.Lost(offset, s.next-1, epoch)...), s.next, nil
}

// CorruptFile is the file because of which an offset cannot be read, if a reader has met
// it; empty: none.
func (l *Log) CorruptFile(id domain.TopicID, partition int32, offset int64) string {
	p, err := l.part(id, partition)
	if err != nil {
		return ""
	}
	s, _ := p.lostAt(offset)
	return s.file
}
