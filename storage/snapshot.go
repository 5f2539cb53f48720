package storage

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Snapshot reads one commit's state of a shard. Any goroutine may use it, several at
// once; closing it ends that. A snapshot that is forgotten keeps what is compacted
// away on the disk.
type Snapshot struct {
	store  *Store
	db     *pebble.Snapshot
	shard  uint16
	tail   snapshotTail
	texts  lentTexts
	seals  uint64 // of the shard, until then
	closed atomic.Bool
}

// Snapshot is the shard as of its last commit.
func (s *Shard) Snapshot() *Snapshot {
	s.store.snapshot.Add(1)
	return &Snapshot{store: s.store, db: s.db.NewSnapshot(), shard: s.id, texts: s.texts.lend(), seals: s.store.gists.seals(s.id)}
}

// tallies appends what n shows of a brand.
func (s *Snapshot) tallies(account domain.AccountID, brand domain.BrandID) (ts []tally, err error) {
	_, err = get(s.db, appendCountKey(nil, s.shard, account, brand), func(v []byte) (err error) {
		ts, err = decodeCounts(nil, v)
		return err
	})
	return ts, err
}

// Rows calls f with the brand's living rows whose month the range touches, in order
// of (time, sequence) within a call. The rows are f's only until it returns; an error
// of f ends the reading and is given back.
func (s *Snapshot) Rows(account domain.AccountID, brand domain.BrandID, r domain.Range, f func(rows []domain.Row) error) error {
	if r.To <= r.From {
		return nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	ts, err := s.tallies(account, brand)
	if err != nil {
		return err
	}
	var (
		codec rowCodec
		rows  []domain.Row
	)
	for _, t := range ts {
		if t.month < first || t.month > last || t.rows <= 0 {
			continue
		}
		k := brandMonth{account, brand, t.month}
		prefix := appendRowKey(nil, familyRows, s.shard, k, t.class, 0)
		err := scanPrefix(s.db, prefix[:len(prefix)-2], func(_, v []byte) (err error) {
			if rows, err = codec.living(rows[:0], v, k); err == nil && len(rows) > 0 {
				err = f(rows)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.unsealed(account, brand, first, last, f)
}

// unsealed calls f with the brand's rows of the months that are in the tail.
func (s *Snapshot) unsealed(account domain.AccountID, brand domain.BrandID, first, last domain.Month, f func(rows []domain.Row) error) error {
	if s.tail.once.Do(s.readTail); s.tail.err != nil {
		return s.tail.err
	}
	for _, t := range s.tail.of[owner{account, brand}] {
		if t.of.month < first || t.of.month > last {
			continue
		}
		if err := f(slices.Clone(t.rows)); err != nil {
			return err
		}
	}
	return nil
}

// snapshotTail is the rows of a snapshot that are not sealed, by brand: read once, by
// the first who asks for rows that are on disk only.
type snapshotTail struct {
	once  sync.Once
	marks []mark               // dead ones too
	of    map[owner][]tailRows // by month
	err   error
}

type owner struct {
	account domain.AccountID
	brand   domain.BrandID
}

func (s *Snapshot) readTail() {
	var marks []mark
	s.tail.err = scanPrefix(s.db, appendShard(nil, familyTail, s.shard), func(_, v []byte) (err error) {
		marks, err = decodeTail(marks, v)
		return err
	})
	s.tail.marks = marks
	s.tail.of = map[owner][]tailRows{}
	unsealed(marks, func(k brandMonth, rows []domain.Row) {
		o := owner{k.account, k.brand}
		s.tail.of[o] = append(s.tail.of[o], tailRows{k, slices.Clone(rows)})
	})
}

// Count is how many living rows a brand has in the months that the range touches: the
// bound before a scan.
func (s *Snapshot) Count(account domain.AccountID, brand domain.BrandID, r domain.Range) (rows uint64, err error) {
	if r.To <= r.From {
		return 0, nil
	}
	first, last := domain.MonthOf(r.From), domain.MonthOf(r.To-1)
	ts, err := s.tallies(account, brand)
	for _, t := range ts {
		if t.month >= first && t.month <= last && t.rows > 0 {
			rows += uint64(t.rows)
		}
	}
	if err != nil {
		return 0, err
	}
	return rows, s.unsealed(account, brand, first, last, func(tail []domain.Row) error {
		rows += uint64(len(tail))
		return nil
	})
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
	s.texts.release(&s.store.texts)
	return s.db.Close()
}
