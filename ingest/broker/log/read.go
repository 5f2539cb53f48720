package log

import (
	"errors"
	"fmt"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Read appends whole record batches to dst, from the one that holds offset on, and
// gives the offset after the last of them. Batches are given while they fit in
// limit bytes; with whole the first one also when it does not. At the log's end there
// is nothing to give: use Watch.
func (p *Partition) Read(offset int64, limit int, whole bool, dst []byte) (out []byte, next int64, err error) {
	if err := p.enter(); err != nil {
		return dst, offset, err
	}
	defer p.leave()
	for {
		seen := int64(0)
		out, next, seen, err = p.read(offset, limit, whole, dst)
		// What an append took away is gone for readers at once, and a crash may bring it back: a reader that has
		// passed it would miss it.
		moved, wrong := p.settle(seen)
		if wrong != nil {
			return dst, offset, wrong
		}
		if moved && errors.As(err, new(noBlock)) {
			continue // all from offset on was taken away: what replaced it is after the end that there was
		}
		p.counts.read.Add(uint64(len(out) - len(dst)))
		return out, next, p.explained(err)
	}
}

// read is Read of what the store has. Seen is the end that it looked up to.
func (p *Partition) read(offset int64, limit int, whole bool, dst []byte) (out []byte, next, seen int64, err error) {
	next = offset
	p.mu.Lock()
	start, end, gone := p.start, p.end, p.gone
	kept := !gone && start <= offset && offset < end
	if kept {
		dst, next, kept = p.recent.read(offset, end, limit, whole, dst)
	}
	p.mu.Unlock()
	switch {
	case gone:
		return dst, offset, end, UnknownTopic
	case offset < start || offset > end:
		return dst, offset, end, fmt.Errorf("%w: %d, the log is [%d,%d)", OffsetOutOfRange, offset, start, end)
	case offset == end:
		return dst, offset, end, nil
	case !kept:
		dst, next, err = p.blocks.read(offset, end, limit, whole, dst)
	}
	var lost *loss
	if errors.As(err, &lost) {
		dst, next, err = p.insteadOf(lost, offset, dst)
	}
	return dst, next, end, err
}

// insteadOf gives, for what cannot be read, what a broker gives whose disk flipped a
// bit in a batch: a batch, here no more than a head, whose checksum does not match. It
// takes the offsets from the one asked for to the next that can be read, so that readers
// know what they miss, and where to continue.
func (p *Partition) insteadOf(lost *loss, offset int64, dst []byte) (out []byte, next int64, err error) {
	p.mu.Lock()
	epoch := p.history.at(offset)
	p.mu.Unlock()
	return append(dst, recordbatch.Lost(offset, lost.next-1, epoch)...), lost.next, nil
}

// CorruptFile is the file because of which an offset cannot be read, if a reader has met
// it; empty: none.
func (p *Partition) CorruptFile(offset int64) string {
	if lost := p.blocks.damage.at(offset); lost != nil {
		return lost.file
	}
	return ""
}

// Find gives the first record at or after a time (ms since 1970): that of the first
// batch whose max time is not before it. Without one it gives -1, -1.
func (p *Partition) Find(ms int64) (offset, at int64, err error) {
	if err := p.enter(); err != nil {
		return -1, -1, err
	}
	defer p.leave()
	p.mu.Lock()
	start, end, gone := p.start, p.end, p.gone
	p.mu.Unlock()
	switch {
	case gone:
		return -1, -1, UnknownTopic
	case start == end:
		return -1, -1, nil
	}
	offset, at, err = p.blocks.find(ms, start, end)
	return offset, at, p.explained(err)
}

// explained says why no block holds an offset: it was deleted a moment ago, or
// with its topic, or the store is damaged. Other errors stay.
func (p *Partition) explained(err error) error {
	var none noBlock
	if err == nil || !errors.As(err, &none) {
		return err
	}
	p.mu.Lock()
	start, gone := p.start, p.gone
	p.mu.Unlock()
	switch {
	case gone:
		return UnknownTopic
	case none.offset < start:
		return OffsetOutOfRange
	}
	return p.fail(err)
}
