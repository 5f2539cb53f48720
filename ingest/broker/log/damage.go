package log

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ovation-analytics/ovation/storage/pebblefs"
)

// loss is the error of reading offsets that cannot be read: [base, next), because of a file.
type loss struct {
	base, next int64
	file       string // empty: not known
}

func (l *loss) Error() string { return fmt.Sprintf("offsets [%d,%d) cannot be read", l.base, l.next) }

// damage is what readers of a partition have found that cannot be read.
type damage struct {
	mu   sync.Mutex
	lost []loss
}

// at is the loss that holds an offset; nil: none that is known.
func (d *damage) at(offset int64) *loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.lost {
		if l.base <= offset && offset < l.next {
			return &l
		}
	}
	return nil
}

// add notes a loss, and gives it with what was known of it.
func (d *damage) add(l loss) *loss {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.lost {
		if known := &d.lost[i]; known.next == l.next { // read from a later offset before
			known.base = min(known.base, l.base)
			return new(*known)
		}
	}
	d.lost = append(d.lost, l)
	return &l
}

// forget drops what lies before a partition's first offset.
func (d *damage) forget(before int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = slices.DeleteFunc(d.lost, func(l loss) bool { return l.next <= before })
}

// maxRecords is how many records of a batch are counted on.
const maxRecords = 10_000

// around gives one batch where an iterator met damage. It asks for single keys: an
// iterator looks into every table whose bounds it crosses, a Get, by the filters, into
// the one that has the key; so what is beside the damage is read all the same.
func (b *blocks) around(offset, end int64, dst []byte, met error) (out []byte, next int64, err error) {
	for base := offset; base >= 0 && base > offset-maxRecords; base-- { // it may be within a batch
		k, ok := b.one(base)
		if ok && k.next > offset {
			return append(dst, k.batch...), k.next, nil
		}
		if ok {
			break
		}
	}
	return dst, offset, b.lose(offset, end, met)
}

// lose notes that what lies from offset to the next batch that can be read is lost.
func (b *blocks) lose(offset, end int64, met error) *loss {
	l := loss{base: offset, next: b.nextReadable(offset+1, min(end, offset+math.MaxInt32))}
	var bad pebblefs.BadBlock
	if errors.As(met, &bad) {
		l.file = bad.File
	}
	return b.damage.add(l)
}

// nextReadable is the base of the first batch in [from, end) that can be read; end: there is none. Tables are looked
// into before what is in memory, which is newer and so after all of them.
func (b *blocks) nextReadable(from, end int64) int64 {
	for flushed := false; from < end; flushed = true {
		next, err := b.store.db.Readable(b.key(keyBlock), uint64(from), uint64(end), func(base uint64) bool {
			_, ok := b.one(int64(base))
			return ok
		})
		switch {
		case err != nil: // the next read looks on
			return from
		case next < uint64(end) || flushed || b.store.db.OrFailed(b.store.db.Flush) != nil:
			return int64(next)
		}
	}
	return end
}
