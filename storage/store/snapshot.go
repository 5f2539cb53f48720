package store

import (
	"errors"
	"math/bits"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/contents"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/records"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// Snapshot reads one commit's state of a shard. Any goroutine may use it, several at
// once; closing it ends that. A snapshot that is forgotten keeps what is compacted
// away on the disk.
type Snapshot struct {
	records.Set
	contents.View
	store  *Store
	db     *pebble.Snapshot
	shard  uint16
	tail   *timeline.View
	closed atomic.Bool
}

// Snapshot is the shard as of its last commit.
func (s *Shard) Snapshot() *Snapshot {
	s.store.snapshot.Add(1)
	db, tail := s.store.db.NewSnapshot(), s.line.View()
	return &Snapshot{
		Set: records.New(db, s.id), View: contents.NewView(db, s.id, tail, s.store.filters),
		store: s.store, db: db, shard: s.id, tail: tail,
	}
}

// Rows calls f with the brand's living rows of the range, some at a time, in order of
// (time, sequence) within a call. The rows are f's only until it returns; an error of f
// ends the reading and is given back.
func (s *Snapshot) Rows(
	account domain.AccountID, brand domain.BrandID, r domain.Range, f func(rows []domain.Row) error,
) error {
	rows, end := s.Reader(account)
	return errors.Join(rows(brand, r, f), end())
}

// Count is how many living rows a brand has in the months that the range touches, which
// is at least how many it has in the range: the bound before a scan.
func (s *Snapshot) Count(account domain.AccountID, brand domain.BrandID, r domain.Range) (rows uint64, err error) {
	if r.To <= r.From {
		return 0, nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	ts, err := s.RowCounts(account, brand)
	if err != nil {
		return 0, err
	}
	for _, t := range ts {
		if t.Month >= first && t.Month <= last && t.Rows > 0 {
			rows += uint64(t.Rows)
		}
	}
	return rows + s.tail.Count(account, brand, first, last), nil
}

// MemberRows calls f with a member's living rows of all brands whose month the range
// touches, in order of (time, sequence). It reads what the member's buckets hold, and
// the tail.
func (s *Snapshot) MemberRows(
	account domain.AccountID, ord domain.Ordinal, r domain.Range, f func(rows []domain.Row),
) error {
	if r.To <= r.From {
		return nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	var actions []format.Action
	err := s.sealedMonths(account, first, last, func(k format.AccountMonth, classes uint32) (err error) {
		for ; classes != 0 && err == nil; classes &= classes - 1 {
			class := uint8(bits.TrailingZeros32(classes))
			key := format.AppendTimelineKey(nil, s.shard, k, class, format.BucketOf(class, ord))
			_, err = scan.Get(s.db, key, func(v []byte) (err error) {
				actions, err = format.AppendMemberActions(actions, v, k, ord)
				return err
			})
		}
		return err
	})
	if err != nil {
		return err
	}
	actions = s.tail.AppendMember(actions, account, ord, first, last)
	format.SortActions(actions)
	rows := make([]domain.Row, 0, len(actions))
	for _, a := range format.Coalesce(actions) {
		if !a.Flags.Dead() {
			rows = append(rows, a.ColumnRow())
		}
	}
	if len(rows) > 0 {
		f(rows)
	}
	return nil
}

// sealedMonths calls f with the account's months of t and the classes they have.
func (s *Snapshot) sealedMonths(
	account domain.AccountID, first, last domain.Month, f func(k format.AccountMonth, classes uint32) error,
) error {
	from := format.AppendSealedKey(nil, s.shard, format.AccountMonth{Account: account, Month: first})
	to := format.PrefixEnd(format.AppendSealedKey(nil, s.shard, format.AccountMonth{Account: account, Month: last}))
	return scan.Range(s.db, from, to, func(k, v []byte) (bool, error) {
		of, _, classes, err := format.DecodeSealed(k, v)
		if err == nil {
			err = f(of, classes)
		}
		return err == nil, err
	})
}

// Close gives the snapshot up; a second time it does nothing.
func (s *Snapshot) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.store.snapshot.Add(-1)
	s.tail.Release()
	return s.db.Close()
}
