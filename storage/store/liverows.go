package store

import (
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
)

// always is every time that a row may have.
var always = domain.Range{To: 1<<32 - 1}

// Rows calls f with the living rows of each stored value, Hash, Slot and Flags not
// set, in order of (time, sequence) within a call; months ascend. An error of f ends the
// reading and is given back.
func (s *Shard) Rows(f func(account domain.AccountID, brand domain.BrandID, rows []domain.Row) error) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	var (
		codec format.RowCodec
		rows  []domain.Row
		tail  []tailRows
	)
	format.EachLive(s.line.Actions(), func(k format.BrandMonth, rows []domain.Row) {
		tail = append(tail, tailRows{k, slices.Clone(rows)})
	})
	err := scan.Months(s.store.reader(), format.FamilyRows, s.id, 0, 1<<16-1, func(k, v []byte) (err error) {
		p, err := format.ParseRowKey(k)
		if err != nil {
			return err
		}
		g := p.Of
		for len(tail) > 0 && tail[0].of.Compare(g) < 0 {
			if err := f(tail[0].of.Account, tail[0].of.Brand, tail[0].rows); err != nil {
				return err
			}
			tail = tail[1:]
		}
		return format.EachPart(v, func(one []byte) error {
			rows = rows[:0]
			err := codec.LiveOne(one, g, always, func(some []domain.Row) error {
				rows = append(rows, some...)
				return nil
			})
			if err == nil && len(rows) > 0 {
				err = f(g.Account, g.Brand, rows)
			}
			return err
		})
	})
	for i := 0; i < len(tail) && err == nil; i++ {
		err = f(tail[i].of.Account, tail[i].of.Brand, tail[i].rows)
	}
	return err
}

// tailRows is the rows of a brand's month that are not sealed.
type tailRows struct {
	of   format.BrandMonth
	rows []domain.Row
}
