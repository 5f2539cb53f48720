package contents

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Search gives what is sought the contents, of a brand's actions at the range's times, that
// Near does not rule out, in any order; of others, too, so that the caller must know its own
// by their sequence. Nothing is done for an action but where Near stops: 20 times less than
// RawContents, where most actions are wanted. Slots of C whose filter rules out what is sought are
// not read.
func (v *View) Search(
	account domain.AccountID, brand domain.BrandID, r domain.Range, sought *domain.ContentSearch,
) error {
	if r.To <= r.From {
		return nil
	}
	x := &search{View: v, ContentSearch: sought}
	if err := x.unsealed(account, brand, r); err != nil {
		return err
	}
	ts, err := v.records.RowCounts(account, brand)
	if err != nil {
		return err
	}
	for _, t := range ts {
		start, end := t.Month.Start(), (t.Month + 1).Start()
		if start >= r.To || end <= r.From {
			continue
		}
		first, last := format.SlotOf(t.Class, start, max(r.From, start)), format.SlotOf(t.Class, start, min(r.To, end)-1)
		of := format.BrandMonth{Account: account, Brand: brand, Month: t.Month}
		if err := x.month(format.SlotKey{Shard: v.shard, Of: of, Class: t.Class, Slot: first}, last); err != nil {
			return err
		}
	}
	return nil
}

// search is the scratch of Search.
type search struct {
	*View
	*domain.ContentSearch
	codec               format.ContentCodec
	key                 []byte
	known               map[uint16][]uint64 // filters of a month's slots that may have what is sought
	made                map[uint16][]uint64 // and of those that none was known of
	format.ContentTexts                     // of a slot
	err                 error               // of what a filter was made of
}

// unsealed looks through what is not sealed.
func (x *search) unsealed(account domain.AccountID, brand domain.BrandID, r domain.Range) error {
	return x.tail.Contents(account, brand, r, func(e *format.Entry, at domain.Second) error {
		if x.Finder(e.Text, nil)(0) < 0 {
			return nil
		}
		return x.give(e, domain.Range{From: at, To: at + 1})
	})
}

// month looks through the slots of a month, from p's to last.
func (x *search) month(p format.SlotKey, last uint16) (err error) {
	x.known = map[uint16][]uint64{}
	read, known := x.filters.look(p, last, x.seals, func(slot uint16, filter []uint64) bool {
		x.known[slot] = filter
		return x.MayContain(filter)
	})
	slot := read.from(p.Slot)
	if slot > last {
		return nil
	}
	x.key = format.AppendRowKey(x.key[:0], format.FamilyContent, p.Shard, p.Of, p.Class, last)
	it, err := x.db.NewIter(&pebble.IterOptions{LowerBound: x.at(p, slot), UpperBound: format.PrefixEnd(x.key)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Error(), it.Close()) }()
	x.made = map[uint16][]uint64{}
	for ok := it.First(); ok && slot <= last; {
		at, err := format.ParseRowKey(it.Key())
		if err != nil {
			return err
		}
		met := at.Slot
		for ; slot < met; slot = read.from(slot + 1) { // there are none
			x.made[slot] = []uint64{}
		}
		if slot != met {
			ok = it.SeekGE(x.at(p, slot))
			continue
		}
		if ok, err = x.blocks(it); err == nil {
			err = x.slot(p, slot, !known.has(slot))
		}
		if err != nil {
			return err
		}
		slot = read.from(slot + 1)
	}
	if it.Error() != nil {
		return nil // the deferred call returns it
	}
	for ; slot <= last; slot = read.from(slot + 1) {
		x.made[slot] = []uint64{}
	}
	x.filters.keep(p, x.made, x.seals)
	return nil
}

// at is what the keys of a slot of p's month begin with.
func (x *search) at(p format.SlotKey, slot uint16) []byte {
	return format.AppendRowKey(nil, format.FamilyContent, p.Shard, p.Of, p.Class, slot)
}

// blocks appends all blocks of the slot that the iterator is at, and
// leaves it after them: ok reports that there is a key.
func (x *search) blocks(it *pebble.Iterator) (ok bool, err error) {
	x.Reset()
	x.key = append(x.key[:0], it.Key()[:format.RowKeyLen]...)
	for ok = true; ok && bytes.HasPrefix(it.Key(), x.key); ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return false, err
		}
		if err := x.codec.AppendTexts(&x.ContentTexts, v); err != nil {
			return false, err
		}
	}
	return ok, nil
}

// slot looks through the contents of a slot, and makes its filter if that is wanted.
func (x *search) slot(p format.SlotKey, slot uint16, wanted bool) error {
	if len(x.Seqs) == 0 {
		x.made[slot] = []uint64{}
		return nil
	}
	if wanted {
		if x.made[slot] = x.FilterOf(x.contents); x.err != nil {
			return x.err
		}
		x.known[slot] = x.made[slot]
	}
	return x.through(x.known[slot], format.SpanOf(p.Class, p.Of.Month, slot))
}

// contents are those of the slot.
func (x *search) contents(yield func([]byte) bool) {
	texts := x.Bytes
	for _, size := range x.Lens {
		e := format.Entry{Text: texts[:size]}
		if texts = texts[size:]; !x.content(&e, yield) {
			return
		}
	}
}

// content gives an entry's content to a filter; false: no more is wanted.
func (x *search) content(e *format.Entry, yield func([]byte) bool) bool {
	content, err := e.Content()
	if err != nil {
		x.err = err
		return false
	}
	return content == nil || yield(content)
}

// through looks through the texts of the slot, whose filter that is.
func (x *search) through(filter []uint64, in domain.Range) error {
	next, n := x.Finder(x.Bytes, filter), len(x.Seqs)
	for i, from := 0, 0; i < n; {
		at := next(from)
		if at < 0 {
			return nil
		}
		size := int(x.Lens[i])
		for from+size <= at && i+1 < n {
			from, i = from+size, i+1
			size = int(x.Lens[i])
		}
		if from+size > at {
			e := format.Entry{Seq: x.Seqs[i], Text: x.Bytes[from : from+size]}
			if err := x.give(&e, in); err != nil {
				return err
			}
		}
		from, i = from+size, i+1
	}
	return nil
}

// give gives what is sought an entry's content, of an action at one of the times.
func (x *search) give(e *format.Entry, in domain.Range) error {
	content, err := e.Content()
	if err == nil && content != nil {
		x.Found(e.Seq, content, in)
	}
	return err
}
