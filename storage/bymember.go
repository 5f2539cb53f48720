package storage

import (
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// MemberRows calls f with a member's living rows of all brands whose month the range
// touches, in order of (time, sequence). It reads what the member's buckets hold, and
// the tail.
func (s *Snapshot) MemberRows(account domain.AccountID, ord domain.Ordinal, r domain.Range, f func(rows []domain.Row)) error {
	if r.To <= r.From {
		return nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	var marks []format.Action
	err := s.sealedMonths(account, first, last, func(k format.AccountMonth, classes uint32) (err error) {
		for ; classes != 0 && err == nil; classes &= classes - 1 {
			marks, err = s.bucket(marks, k, uint8(bits.TrailingZeros32(classes)), ord)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range s.tail.marks {
		if m := &s.tail.marks[i]; m.Ord == ord && m.Account == account && m.Month >= first && m.Month <= last {
			marks = append(marks, *m)
		}
	}
	slices.SortFunc(marks, func(a, b format.Action) int {
		switch {
		case a.Before(&b):
			return -1
		case b.Before(&a):
			return 1
		}
		return 0
	})
	rows := make([]domain.Row, 0, len(marks))
	for _, m := range format.Coalesce(marks) {
		if !m.Flags.Dead() {
			rows = append(rows, domain.Row{
				Seq: m.Seq, Account: account, Ord: ord, Time: m.Time, Brand: m.Brand, Definition: m.Definition, Points: m.Points, Service: m.Service,
			})
		}
	}
	if len(rows) > 0 {
		f(rows)
	}
	return nil
}

// sealedMonths calls f with the account's months of t and the classes they have.
func (s *Snapshot) sealedMonths(account domain.AccountID, first, last domain.Month, f func(k format.AccountMonth, classes uint32) error) error {
	from := format.AppendSealedKey(nil, s.shard, format.AccountMonth{Account: account, Month: first})
	to := format.PrefixEnd(format.AppendSealedKey(nil, s.shard, format.AccountMonth{Account: account, Month: last}))
	return scan(s.db, from, to, func(k, v []byte) (bool, error) {
		of, _, classes, err := format.DecodeSealed(k, v)
		if err == nil {
			err = f(of, classes)
		}
		return err == nil, err
	})
}

// bucket appends the marks of a member in one of its buckets.
func (s *Snapshot) bucket(dst []format.Action, k format.AccountMonth, class uint8, ord domain.Ordinal) ([]format.Action, error) {
	_, err := get(s.db, format.AppendTimelineKey(nil, s.shard, k, class, bucketOf(class, ord)), func(v []byte) (err error) {
		dst, err = format.AppendMemberActions(dst, v, k, ord)
		return err
	})
	return dst, err
}
