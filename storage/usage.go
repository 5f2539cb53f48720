package storage

import (
	"cmp"
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// appendUsage appends a value of u: the hits that one incarnation of a node counted
// for an application in an hour.
func appendUsage(dst []byte, account domain.AccountID, total uint64) []byte {
	dst = binary.AppendUvarint(append(dst, version1), uint64(account))
	return binary.AppendUvarint(dst, total)
}

// decodeUsageKey is the usage of a key and its value.
func decodeUsageKey(k, v []byte) (u domain.UsageCount, err error) {
	if len(k) != 19 {
		return u, damaged("u")
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
	return appendUsage(dst, best.account, best.total), nil
}
