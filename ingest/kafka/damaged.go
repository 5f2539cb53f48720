package kafka

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Base offset and leader epoch of a batch are not under its checksum. A base is believed
// where it fits the offset that is wanted and the batch after; an epoch that differs
// from that of the batch before, where the leader's history has it there.

// history gives the leader epoch in which an offset was written. known is that of the
// batch before it, NoEpoch where there is none, claimed what the batch says. What it gives
// hangs on the log alone, so that every reader of the offset gets the same.
type history func(offset int64, known, claimed int32) (int32, error)

// corrupt ends the page before a bad batch, or is the error when nothing came before it.
// The stretch that is lost begins at the offset wanted, of which all before is read, and
// leads on, by one offset at least. Its epoch is the history's.
func (d *decoder) corrupt(next int64, detail string) error {
	d.full = true
	if d.page.Next > d.from {
		return nil
	}
	epoch, err := d.written(d.from, d.page.Epoch, d.page.Epoch)
	if err != nil {
		return err
	}
	return &domain.CorruptError{Base: d.from, Next: max(next, d.from+1), Epoch: epoch, Detail: detail}
}

// stop ends the page; the error counts where nothing came before.
func (d *decoder) stop(err error) error {
	d.full = true
	if d.page.Next > d.from {
		return nil
	}
	return err
}

// after is where the batch after a damaged one may begin: as the header of either says,
// the lower of the two, so that no good batch is passed over. 0: neither makes sense.
func (d *decoder) after(h *head, rest []byte) int64 {
	next := int64(0)
	if base, ok := following(rest); ok && base > d.page.Next && base <= d.page.High {
		next = base
	}
	own := h.Last() + 1
	if h.Base <= d.page.Next && own > d.page.Next && own <= d.page.High && (next == 0 || own < next) {
		next = own
	}
	return next
}

// following is the base of the batch after.
func following(rest []byte) (base int64, ok bool) {
	if len(rest) <= recordbatch.AtFormat || rest[recordbatch.AtFormat] != recordbatch.Format {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(rest)), true
}

// misplaced reports a batch whose base is not the offset wanted, as after a hole that
// compaction left, and which cannot lie where it says: the batch after it begins within
// it, or the log ends there.
func (d *decoder) misplaced(h *head, rest []byte) bool {
	if h.Base == d.page.Next {
		return false
	}
	base, ok := following(rest)
	return ok && base <= h.Last() || h.Last() >= d.page.High
}

// dated puts the epoch in which the batch was written in its head.
func (d *decoder) dated(h *head) (err error) {
	if h.Epoch == d.page.Epoch {
		return nil
	}
	h.Epoch, err = d.written(max(h.Base, d.page.Next), d.page.Epoch, h.Epoch)
	return err
}
