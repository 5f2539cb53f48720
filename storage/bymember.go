package storage

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// MemberRows calls f with a member's living rows of all brands whose month the range
// touches, in order of (time, sequence). It reads what the member's buckets hold, and
// the tail.
func (s *Snapshot) MemberRows(account domain.AccountID, ord domain.Ordinal, r domain.Range, f func(rows []domain.Row)) error {
	if r.To <= r.From {
		return nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	var marks []mark
	err := s.sealedMonths(account, first, last, func(k accountMonth, classes uint32) (err error) {
		for ; classes != 0 && err == nil; classes &= classes - 1 {
			marks, err = s.bucket(marks, k, uint8(bits.TrailingZeros32(classes)), ord)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range s.tail.marks {
		if m := &s.tail.marks[i]; m.ord == ord && m.account == account && m.month >= first && m.month <= last {
			marks = append(marks, *m)
		}
	}
	slices.SortFunc(marks, func(a, b mark) int {
		switch {
		case a.earlier(&b):
			return -1
		case b.earlier(&a):
			return 1
		}
		return 0
	})
	rows := make([]domain.Row, 0, len(marks))
	for _, m := range together(marks) {
		if !m.flags.Dead() {
			rows = append(rows, domain.Row{
				Seq: m.seq, Account: account, Ord: ord, Time: m.time, Brand: m.brand, Definition: m.def, Points: m.points, Service: m.service,
			})
		}
	}
	if len(rows) > 0 {
		f(rows)
	}
	return nil
}

// sealedMonths calls f with the account's months of t and the classes they have.
func (s *Snapshot) sealedMonths(account domain.AccountID, first, last domain.Month, f func(k accountMonth, classes uint32) error) error {
	from := appendSealedKey(nil, s.shard, accountMonth{account, first})
	to := after(appendSealedKey(nil, s.shard, accountMonth{account, last}))
	return scan(s.db, from, to, func(k, v []byte) (bool, error) {
		of, months, err := decodeSealed(k, v)
		if err == nil {
			err = f(of, months.classes)
		}
		return err == nil, err
	})
}

// bucket appends the marks of a member in one of its buckets.
func (s *Snapshot) bucket(dst []mark, k accountMonth, class uint8, ord domain.Ordinal) ([]mark, error) {
	_, err := get(s.db, appendLineKey(nil, s.shard, k, class, bucketOf(class, ord)), func(v []byte) (err error) {
		dst, err = appendMember(dst, v, k, ord)
		return err
	})
	return dst, err
}
