package store

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/contents"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/rowsort"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// A commit writes its rows once, by member, in one key of T, and their contents in blocks
// of c. When the tail is full they move, in that commit's batch, to where they are
// read from: t by member, R and C by brand, with n counting. A brand gets a few rows
// of a commit and many of a tail: the keys of a batch are what a commit costs.
//
//	commit ─► T c
//	full   ─► t R C n         and range deletions of T and c

// sealing is what it takes to seal a tail; shards share it. What is not used for a while the
// collector takes.
type sealing struct {
	batch *pebble.Batch
	timeline.Scratch
}

// sealingRetained is how large its batch may be to be used again.
const sealingRetained = 16 << 20

// brandRows writes the rows of a shard by brand: R, C and n.
type brandRows struct {
	db       pebble.Reader
	shard    uint16
	widths   format.Widths
	filters  *contents.Filters
	contents *contents.Writer
	held     map[format.BrandMonth]uint64 // rows of a brand's month, as far as asked: a cache

	numbers rowsort.Numbering
	rows    []format.Row
	entries []format.Entry
	bySeq   rowsort.Sorter // places in the tail
	codec   format.RowCodec
	key     []byte
	value   []byte
}

// heldLimit bounds the cache of counts; beyond it, it starts again.
const heldLimit = 1 << 20

// seal groups the rows of a tail by brand and month, chooses the width class of each group and
// writes its operands; the tail's contents end with a sequence.
func (w *brandRows) seal(big *sealing, tail *timeline.Tail, sequence uint64) error {
	w.filters.Sealing(w.shard)
	actions := tail.Actions()
	deleted := format.Deleted(actions)
	w.numbers.Reset()
	big.Sorter.Reset()
	big.Classes = slices.Grow(big.Classes[:0], len(actions))[:len(actions)]
	clear(big.Classes)
	for i := range actions {
		a := &actions[i]
		if a.Flags.Dead() || deleted[a.Seq] {
			continue
		}
		n := w.numbers.Of(format.AccountMonth{Account: a.Account, Month: a.Month})
		big.Sorter.Add(uint64(n)<<32|uint64(a.Brand), a.Time, i)
	}
	big.Sorter.Sort(func(i int32) uint64 { return actions[i].Seq })
	for keys := big.Sorter.Keys; len(keys) > 0; {
		n := 1
		for n < len(keys) && keys[n].Group == keys[0].Group {
			n++
		}
		of := w.numbers.Groups[keys[0].Group>>32]
		k := format.BrandMonth{Account: of.Account, Brand: domain.BrandID(uint32(keys[0].Group)), Month: of.Month}
		if err := w.writeMonth(big, tail, k, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return w.contents.DeleteTail(big.batch, sequence)
}

// writeMonth writes the rows of one brand's month, in order of (time, sequence).
func (w *brandRows) writeMonth(big *sealing, tail *timeline.Tail, k format.BrandMonth, keys []rowsort.Key) error {
	held, err := w.heldRows(k)
	if err != nil {
		return err
	}
	held += uint64(len(keys))
	w.held[k] = held
	class, start := w.widths.Class(held), k.Month.Start()
	if err := w.count(big.batch, k, class, int64(len(keys))); err != nil {
		return err
	}
	for len(keys) > 0 {
		slot, n := format.SlotOf(class, start, keys[0].Time), 1
		for n < len(keys) && format.SlotOf(class, start, keys[n].Time) == slot {
			n++
		}
		p := format.SlotKey{Shard: w.shard, Of: k, Class: class, Slot: slot}
		if err := w.writeSlot(big, tail, p, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// writeSlot writes the operands of one key of R and of a slot of C, and notes the class of
// the actions.
func (w *brandRows) writeSlot(big *sealing, tail *timeline.Tail, p format.SlotKey, keys []rowsort.Key) error {
	w.rows = w.rows[:0]
	w.bySeq.Reset()
	actions := tail.Actions()
	for _, key := range keys {
		a := &actions[key.I]
		big.Classes[key.I] = p.Class
		w.rows = append(w.rows, format.Row{
			Seq: a.Seq, Time: a.Time, Ord: a.Ord, Definition: a.Definition, Points: a.Points, Service: a.Service,
		})
		w.bySeq.Add(a.Seq, 0, int(key.I))
	}
	w.key = format.AppendRowKey(w.key[:0], format.FamilyRows, p.Shard, p.Of, p.Class, p.Slot)
	w.value = w.codec.Append(w.value[:0], nil, w.rows)
	if err := big.batch.Merge(w.key, w.value, nil); err != nil {
		return err
	}
	w.bySeq.Ascending()
	w.entries = tail.AppendContents(w.entries[:0], w.bySeq.Keys)
	if len(w.entries) == 0 {
		return nil
	}
	w.filters.Forget(p)
	return w.contents.Write(big.batch, p, w.entries)
}

// writeContents puts the contents of the open batch's rows into blocks of the tail.
func (w *brandRows) writeContents(b *pebble.Batch, tail *timeline.Tail) error {
	w.entries = tail.AppendFresh(w.entries[:0])
	return w.contents.WriteTail(b, w.entries)
}

// take takes sealed rows out of exactly the keys that hold them: one operand a key.
func (w *brandRows) take(b *pebble.Batch, taken []format.Action) error {
	slices.SortFunc(taken, func(x, y format.Action) int {
		return cmp.Or(x.Of().Compare(y.Of()), cmp.Compare(x.Class, y.Class), cmp.Compare(slotOf(&x), slotOf(&y)), cmp.Compare(x.Seq, y.Seq))
	})
	for len(taken) > 0 {
		a, n := &taken[0], 1
		for n < len(taken) && taken[n].Of() == a.Of() && taken[n].Class == a.Class && slotOf(&taken[n]) == slotOf(a) {
			n++
		}
		if err := w.takeSlot(b, taken[:n]); err != nil {
			return err
		}
		taken = taken[n:]
	}
	return nil
}

// slotOf is the slot of the key that has a sealed row.
func slotOf(a *format.Action) uint16 { return format.SlotOf(a.Class, a.Month.Start(), a.Time) }

// takeSlot takes rows of one slot, whose sequences ascend.
func (w *brandRows) takeSlot(b *pebble.Batch, taken []format.Action) error {
	a := &taken[0]
	seqs := make([]uint64, len(taken))
	for i := range taken {
		seqs[i] = taken[i].Seq
	}
	p := format.SlotKey{Shard: w.shard, Of: a.Of(), Class: a.Class, Slot: slotOf(a)}
	w.key = format.AppendRowKey(w.key[:0], format.FamilyRows, p.Shard, p.Of, p.Class, p.Slot)
	w.value = format.AppendTaken(w.value[:0], seqs...)
	if err := b.Merge(w.key, w.value, nil); err != nil {
		return err
	}
	if err := w.contents.Take(b, p, seqs...); err != nil {
		return err
	}
	return w.count(b, p.Of, p.Class, -int64(len(taken)))
}

// count adds to the rows that a brand's month has under a class.
func (w *brandRows) count(b *pebble.Batch, k format.BrandMonth, class uint8, rows int64) error {
	w.key = format.AppendCountKey(w.key[:0], w.shard, k.Account, k.Brand)
	w.value = format.AppendCounts(w.value[:0], []format.Tally{{Month: k.Month, Class: class, Rows: rows}})
	return b.Merge(w.key, w.value, nil)
}

// heldRows is how many rows a brand's month has, of all classes, as of the last
// commit or a little before: it only chooses widths.
func (w *brandRows) heldRows(k format.BrandMonth) (uint64, error) {
	if held, ok := w.held[k]; ok {
		return held, nil
	}
	if len(w.held) >= heldLimit {
		clear(w.held)
	}
	w.key = format.AppendCountKey(w.key[:0], w.shard, k.Account, k.Brand)
	var held int64
	_, err := scan.Get(w.db, w.key, func(v []byte) error {
		ts, err := format.DecodeCounts(nil, v)
		for _, t := range ts {
			if t.Month == k.Month {
				held += t.Rows
			}
		}
		return err
	})
	return uint64(max(held, 0)), err
}
