package storage

import (
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// What a shard reads when it starts: all of a kind, as of the last commit. Slices
// given to the functions are theirs only until they return.

// Origins calls f with the highest origin applied of each stream.
func (s *Shard) Origins(f func(domain.Origin)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	return eachOrigin(s.db, s.id, s.late, f)
}

// Members calls f with each member's place, by account and ordinal; members that are
// staged too.
func (s *Shard) Members(f func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	for _, account := range slices.Sorted(maps.Keys(s.members)) {
		for ord, id := range s.members[account] {
			if id != 0 {
				f(account, domain.Ordinal(ord), id)
			}
		}
	}
	return nil
}

// Bits calls f once for each attribute's value that some ordinal has, with all of its
// ordinals, ascending.
func (s *Shard) Bits(f func(account domain.AccountID, attribute domain.Attribute, value string, ords []domain.Ordinal)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	var (
		codec format.BitCodec
		ords  []domain.Ordinal
		last  bitsOf
	)
	flush := func() {
		if len(ords) > 0 {
			f(last.account, last.attribute, last.value, ords)
		}
		ords = ords[:0]
	}
	err := scanPrefix(s.db, format.AppendShard(nil, format.FamilyBits, s.id), func(k, v []byte) (err error) {
		account, attribute, value, first, err := format.ParseBitsKey(k)
		if err != nil {
			return err
		}
		if account != last.account || attribute != last.attribute || string(value) != last.value {
			flush()
			last = bitsOf{account, attribute, string(value)}
		}
		ords, err = codec.Ordinals(ords, v, first)
		return err
	})
	if err == nil {
		flush()
	}
	return err
}

// bitsOf is what the bitmaps of a value have in common.
type bitsOf struct {
	account   domain.AccountID
	attribute domain.Attribute
	value     string
}

// Columns calls f with stretches of each column, ascending, from ordinal first on;
// members between stretches are unknown.
func (s *Shard) Columns(f func(account domain.AccountID, attribute domain.Attribute, first domain.Ordinal, values []uint16)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	var codec format.ColumnCodec
	return scanPrefix(s.db, format.AppendShard(nil, format.FamilyColumn, s.id), func(k, v []byte) error {
		account, attribute, first, err := format.ParseColumnKey(k)
		if err != nil {
			return err
		}
		from, values, err := codec.ValuesOf(v)
		if len(values) > 0 {
			f(account, attribute, first+domain.Ordinal(from), values)
		}
		return err
	})
}

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
	unsealed(s.line.tail, func(k format.BrandMonth, rows []domain.Row) {
		tail = append(tail, tailRows{k, slices.Clone(rows)})
	})
	err := scanMonths(s.db, format.FamilyRows, s.id, 0, 1<<16-1, func(k, v []byte) (err error) {
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

// Outbox calls f with the entries not yet trimmed, in order.
func (s *Shard) Outbox(f func(*domain.Outgoing)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	var parts [2]*pebble.Iterator
	var err error
	for kind := range parts {
		prefix := format.OutboxPrefix(s.id, byte(kind))
		it, e := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: format.PrefixEnd(prefix)})
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		it.First()
		parts[kind] = it
	}
	for err == nil {
		var next *pebble.Iterator
		for _, it := range parts {
			if it.Valid() && (next == nil || string(it.Key()[4:]) < string(next.Key()[4:])) {
				next = it
			}
		}
		if next == nil {
			break
		}
		o := new(domain.Outgoing)
		if err = format.DecodeMessage(next.Value(), o); err == nil {
			f(o)
			next.Next()
		}
	}
	for _, it := range parts {
		if it != nil {
			err = errors.Join(err, it.Error(), it.Close())
		}
	}
	return err
}

// Usage calls f with every count of hits, by application and hour.
func (s *Shard) Usage(f func(domain.UsageCount)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	return scanPrefix(s.db, format.AppendShard(nil, format.FamilyUsage, s.id), func(k, v []byte) error {
		u, err := format.DecodeUsageKey(k, v)
		if err == nil {
			f(u)
		}
		return err
	})
}
