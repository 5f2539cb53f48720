package storage

import (
	"errors"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Snapshot reads one commit's state of a shard. Any goroutine may use it, several at
// once; closing it ends that. A snapshot that is forgotten keeps what is compacted
// away on the disk.
type Snapshot struct {
	store  *Store
	db     *pebble.Snapshot
	shard  uint16
	tail   snapshotTail
	seals  uint64 // of the shard, until then
	closed atomic.Bool
}

// Snapshot is the shard as of its last commit.
func (s *Shard) Snapshot() *Snapshot {
	s.store.snapshot.Add(1)
	tail := s.texts.lend(s.line.tail[:s.line.committed])
	return &Snapshot{store: s.store, db: s.db.NewSnapshot(), shard: s.id, tail: snapshotTail{lentTail: tail}, seals: s.store.gists.seals(s.id)}
}

// tallies appends what n shows of a brand.
func (s *Snapshot) tallies(account domain.AccountID, brand domain.BrandID) (ts []format.Tally, err error) {
	_, err = get(s.db, format.AppendCountKey(nil, s.shard, account, brand), func(v []byte) (err error) {
		ts, err = format.DecodeCounts(nil, v)
		return err
	})
	return ts, err
}

// Rows calls f with the brand's living rows of the range, some at a time, in order of
// (time, sequence) within a call. The rows are f's only until it returns; an error of f
// ends the reading and is given back.
func (s *Snapshot) Rows(account domain.AccountID, brand domain.BrandID, r domain.Range, f func(rows []domain.Row) error) error {
	rows, end := s.Reader(account, r)
	return errors.Join(rows(brand, f), end())
}

// Count is how many living rows a brand has in the months that the range touches, which
// is at least how many it has in the range: the bound before a scan.
func (s *Snapshot) Count(account domain.AccountID, brand domain.BrandID, r domain.Range) (rows uint64, err error) {
	if r.To <= r.From {
		return 0, nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	ts, err := s.tallies(account, brand)
	for _, t := range ts {
		if t.Month >= first && t.Month <= last && t.Rows > 0 {
			rows += uint64(t.Rows)
		}
	}
	if err != nil {
		return 0, err
	}
	err = s.tail.brand(account, brand, func(marks []format.Action, places []sortKey) error {
		for _, p := range places {
			if m := &marks[p.i]; m.Month >= first && m.Month <= last {
				rows++
			}
		}
		return nil
	})
	return rows, err
}

// Member is a member's record; nil: none.
func (s *Snapshot) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	return readMember(s.db, s.shard, account, ord)
}

// Identity is the claim under a hash. The account is part of the hash.
func (s *Snapshot) Identity(_ domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	return readIdentity(s.db, s.shard, hash)
}

// Earliest is the member that was created first of those that a hash points to; 0:
// none. The account is part of the hash.
func (s *Snapshot) Earliest(_ domain.AccountID, hash domain.IdentityHash) (domain.MemberID, error) {
	return readEarliest(s.db, s.shard, hash)
}

// Pointed calls f with every member that a hash points to, those created first first.
// The account is part of the hash.
func (s *Snapshot) Pointed(_ domain.AccountID, hash domain.IdentityHash, f func(domain.MemberID)) error {
	return readPointed(s.db, s.shard, hash, f)
}

// Close gives the snapshot up; a second time it does nothing.
func (s *Snapshot) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	s.store.snapshot.Add(-1)
	s.tail.close(&s.store.texts)
	return s.db.Close()
}
