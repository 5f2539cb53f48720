package storage

import (
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// tally is how many rows of a brand a month has under one width class.
type tally struct {
	month domain.Month
	class uint8
	rows  int64 // in an operand what is added
}

func (t *tally) key() uint64 { return uint64(t.month)<<2 | uint64(t.class) }

// appendCounts appends a value of n; the tallies ascend by (month, class).
func appendCounts(dst []byte, ts []tally) []byte {
	dst = append(dst, version1)
	var last uint64
	for i := range ts {
		dst = binary.AppendUvarint(dst, ts[i].key()-last)
		dst = binary.AppendVarint(dst, ts[i].rows)
		last = ts[i].key()
	}
	return dst
}

// decodeCountsKey is the brand of a key of n, and the tallies of its value.
func decodeCountsKey(k, v []byte) (account domain.AccountID, brand domain.BrandID, ts []tally, err error) {
	if len(k) != 11 {
		return 0, 0, nil, damaged("n")
	}
	ts, err = decodeCounts(nil, v)
	return domain.AccountID(be.Uint32(k[3:])), domain.BrandID(be.Uint32(k[7:])), ts, err
}

// decodeCounts appends the tallies of a value of n, ascending.
func decodeCounts(dst []tally, v []byte) ([]tally, error) {
	cur, err := openValue(v, "n")
	if err != nil {
		return dst, err
	}
	var last uint64
	for len(cur.b) > 0 {
		last += cur.below(1 << 18)
		t := tally{month: domain.Month(last >> 2), class: uint8(last & 3), rows: cur.varint()}
		if last >= 1<<18 || t.class >= classes {
			return dst, damaged("n")
		}
		dst = append(dst, t)
	}
	return dst, cur.close("n")
}

// mergeCounts adds operands. What comes to nothing is left out once the oldest is
// included.
func (s *mergeScratch) mergeCounts(dst []byte, operands [][]byte, base bool) (_ []byte, err error) {
	all := s.counts[:0]
	for _, v := range operands {
		if all, err = decodeCounts(all, v); err != nil {
			return nil, err
		}
	}
	s.counts = all
	slices.SortFunc(all, func(a, b tally) int { return compareU64(a.key(), b.key()) })
	sum := all[:0]
	for _, t := range all {
		if k := len(sum) - 1; k >= 0 && sum[k].key() == t.key() {
			sum[k].rows += t.rows
		} else {
			sum = append(sum, t)
		}
	}
	if base {
		sum = slices.DeleteFunc(sum, func(t tally) bool { return t.rows == 0 })
	}
	return appendCounts(dst, sum), nil
}
