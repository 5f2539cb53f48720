package log

import (
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

// epochStart is the offset from which on batches were written in an epoch.
type epochStart struct {
	epoch int32
	start int64
}

// epochs is the history of a partition, ascending in both; the last entry is the
// epoch of this opening.
type epochs []epochStart

// ends gives the greatest epoch not above the one asked for, and the offset at which
// it ended; next is the log's end. An epoch that is not of this log's past, since it
// is above all, gives -1, -1.
func (e epochs) ends(epoch int32, next int64) (found int32, end int64) {
	i, exact := slices.BinarySearchFunc(e, epoch, func(s epochStart, epoch int32) int { return int(s.epoch) - int(epoch) })
	switch {
	case epoch < 0 || i == len(e):
		return -1, -1
	case exact && i == len(e)-1:
		return epoch, next
	case exact:
		return epoch, e[i+1].start
	case i == 0: // before all that is remembered
		return epoch, e[0].start
	default:
		return e[i-1].epoch, e[i].start
	}
}

// at is the epoch that wrote an offset.
func (e epochs) at(offset int64) int32 {
	for i := len(e) - 1; i > 0; i-- {
		if e[i].start <= offset {
			return e[i].epoch
		}
	}
	return e[0].epoch
}

// before splits off the entries that ended before start.
func (e epochs) before(start int64) (gone, kept epochs) {
	n := 0
	for n+1 < len(e) && e[n+1].start <= start {
		n++
	}
	return e[:n], e[n:]
}

// history is the epochs of a partition, the last of which may not be stored yet.
type history struct {
	epochs
	unwritten bool // no batch has the last epoch
}

// load reads the epochs that have ended; current begins at next.
func (h *history) load(b *blocks, current int32, next int64) error {
	prefix := b.key(keyEpochAt)
	h.epochs = nil
	err := b.store.each(prefix, func(key, value []byte) error {
		start, err := decodeNumber(value)
		if err != nil || len(key) != len(prefix)+4 {
			return errors.Join(errDamaged, err)
		}
		h.epochs = append(h.epochs, epochStart{int32(u32(key[len(prefix):])), start})
		return nil
	})
	h.epochs = append(h.epochs, epochStart{current, next})
	return err
}

// stage writes the current epoch with its first batch.
func (h *history) stage(b *pebble.Batch, p partID) error {
	if !h.unwritten {
		return nil
	}
	e := h.epochs[len(h.epochs)-1]
	return b.Set(p.epochKey(e.epoch), encodeNumber(e.start), nil)
}
