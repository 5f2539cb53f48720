package store

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// rowReader reads the rows of one brand after another. The iterator of a month is kept from
// one brand to the next: of brands in ascending order each block is unpacked once. One
// goroutine.
type rowReader struct {
	s       *Snapshot
	account domain.AccountID
	months  map[domain.Month]*pebble.Iterator
	codec   *format.RowCodec
}

// Reader gives a function that reads rows of an account as Rows does, for many brands and ranges, and
// what must be called once no more is read. Both are one goroutine's.
func (s *Snapshot) Reader(
	account domain.AccountID,
) (rows func(domain.BrandID, domain.Range, func([]domain.Row) error) error, end func() error) {
	reader := &rowReader{
		s: s, account: account, months: map[domain.Month]*pebble.Iterator{},
		codec: format.RowCodecs.Get().(*format.RowCodec),
	}
	return reader.rows, reader.close
}

func (r *rowReader) rows(brand domain.BrandID, span domain.Range, f func(rows []domain.Row) error) error {
	if span.To <= span.From {
		return nil
	}
	first, last := domain.MonthOf(span.From), domain.MonthOf(span.To-1)
	ts, err := r.s.RowCounts(r.account, brand)
	if err != nil {
		return err
	}
	for _, t := range ts {
		if t.Month < first || t.Month > last || t.Rows <= 0 {
			continue
		}
		k := format.BrandMonth{Account: r.account, Brand: brand, Month: t.Month}
		if err := r.month(k, t.Class, span, f); err != nil {
			return err
		}
	}
	return r.s.tail.Rows(r.account, brand, span, r.codec.Buffer(), f)
}

// month calls f with the sealed rows of a brand's month that are of a range.
func (r *rowReader) month(
	k format.BrandMonth, class uint8, span domain.Range, f func(rows []domain.Row) error,
) (err error) {
	from, to := format.SlotsOf(class, k.Month, span)
	lower := format.AppendRowKey(nil, format.FamilyRows, r.s.shard, k, class, from)
	upper := format.PrefixEnd(format.AppendRowKey(nil, format.FamilyRows, r.s.shard, k, class, to))
	it := r.months[k.Month]
	if it == nil {
		if it, err = r.s.db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper}); err != nil {
			return err
		}
		r.months[k.Month] = it
	} else {
		it.SetBounds(lower, upper)
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		var v []byte
		if v, err = it.ValueAndErr(); err == nil {
			r.s.store.buckets.Add(1)
			err = r.codec.Live(v, k, span, f)
		}
	}
	return errors.Join(err, it.Error())
}

func (r *rowReader) close() (err error) {
	for _, it := range r.months {
		err = errors.Join(err, it.Close())
	}
	format.RowCodecs.Put(r.codec)
	return err
}
