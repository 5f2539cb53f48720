package records

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Bits calls f once for each attribute's value that some ordinal has, with all of its
// ordinals, ascending.
func (s Set) Bits(
	f func(account domain.AccountID, attribute domain.Attribute, value string, ords []domain.Ordinal),
) error {
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
	err := s.all(format.FamilyBits, func(k, v []byte) (err error) {
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
func (s Set) Columns(
	f func(account domain.AccountID, attribute domain.Attribute, first domain.Ordinal, values []uint16),
) error {
	var codec format.ColumnCodec
	return s.all(format.FamilyColumn, func(k, v []byte) error {
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
