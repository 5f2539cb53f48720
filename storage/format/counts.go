package format

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Tally is how many rows of a brand a month has under one width class.
type Tally struct {
	Month domain.Month
	Class uint8
	Rows  int64 // in an operand what is added
}

func (t *Tally) key() uint64 { return uint64(t.Month)<<2 | uint64(t.Class) }

// AppendCounts appends a value of n; the tallies ascend by (month, class).
func AppendCounts(dst []byte, ts []Tally) []byte {
	dst = append(dst, version1)
	var last uint64
	for i := range ts {
		dst = binary.AppendUvarint(dst, ts[i].key()-last)
		dst = binary.AppendVarint(dst, ts[i].Rows)
		last = ts[i].key()
	}
	return dst
}

// DecodeCountsKey is the brand of a key of n, and the tallies of its value.
func DecodeCountsKey(k, v []byte) (account domain.AccountID, brand domain.BrandID, ts []Tally, err error) {
	if len(k) != 11 {
		return 0, 0, nil, Damaged("n")
	}
	ts, err = DecodeCounts(nil, v)
	return domain.AccountID(be.Uint32(k[3:])), domain.BrandID(be.Uint32(k[7:])), ts, err
}

// DecodeCounts appends the tallies of a value of n, ascending.
func DecodeCounts(dst []Tally, v []byte) ([]Tally, error) {
	cur, err := openValue(v, "n")
	if err != nil {
		return dst, err
	}
	var last uint64
	for len(cur.b) > 0 {
		last += cur.below(1 << 18)
		t := Tally{Month: domain.Month(last >> 2), Class: uint8(last & 3), Rows: cur.varint()}
		if last >= 1<<18 || t.Class >= Classes {
			return dst, Damaged("n")
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
		if all, err = DecodeCounts(all, v); err != nil {
			return nil, err
		}
	}
	s.counts = all
	slices.SortFunc(all, func(a, b Tally) int { return cmp.Compare(a.key(), b.key()) })
	sum := all[:0]
	for _, t := range all {
		if k := len(sum) - 1; k >= 0 && sum[k].key() == t.key() {
			sum[k].Rows += t.Rows
		} else {
			sum = append(sum, t)
		}
	}
	if base {
		sum = slices.DeleteFunc(sum, func(t Tally) bool { return t.Rows == 0 })
	}
	return AppendCounts(dst, sum), nil
}

// AppendUsage appends a value of u: the hits that one incarnation of a node counted
// for an application in an hour.
func AppendUsage(dst []byte, account domain.AccountID, total uint64) []byte {
	dst = binary.AppendUvarint(append(dst, version1), uint64(account))
	return binary.AppendUvarint(dst, total)
}

// DecodeUsageKey is the usage of a key and its value.
func DecodeUsageKey(k, v []byte) (u domain.UsageCount, err error) {
	if len(k) != 19 {
		return u, Damaged("u")
	}
	u.Account, u.Total, err = decodeUsage(v)
	u.Application, u.Hour, u.Incarnation = domain.ApplicationID(be.Uint32(k[3:])), be.Uint32(k[7:]), be.Uint64(k[11:])
	return u, err
}

func decodeUsage(v []byte) (account domain.AccountID, total uint64, err error) {
	cur, err := openValue(v, "u")
	if err != nil {
		return 0, 0, err
	}
	account, total = domain.AccountID(cur.uint32()), cur.uvarint()
	return account, total, cur.close("u")
}

// mergeUsage keeps the greatest total: a repeat changes nothing.
func mergeUsage(dst []byte, operands [][]byte) ([]byte, error) {
	var best struct {
		account domain.AccountID
		total   uint64
	}
	for _, v := range operands {
		account, total, err := decodeUsage(v)
		if err != nil {
			return nil, err
		}
		if c := cmp.Compare(total, best.total); c > 0 || c == 0 && account > best.account {
			best.account, best.total = account, total
		}
	}
	return AppendUsage(dst, best.account, best.total), nil
}
