package storage

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Shard is one shard's part of a store. One goroutine owns it, but for what Snapshot
// gives. After an error of Stage or Commit it is of no more use: close it and open it
// again, at the last commit.
type Shard struct {
	store  *Store
	db     *pebble.DB
	id     uint16
	err    error // of Stage or Commit
	closed bool

	state   domain.ShardState    // of the last commit
	late    format.RecentOrigins // in its value
	facts   format.StateHash     // staged changes included
	members roster
	line    *timeline
	texts   texts                             // of the tail of line
	held    map[format.BrandMonth]uint64      // rows of a brand's month, as far as asked: a cache
	parked  map[format.Place]format.StateHash // what is parked, staged included: the sum of its facts, by member
	blocks  blocks                            // of C, that grow
	pairs   *filter                           // of the one-time pairs stored or staged; nil: not asked yet
	trimmed [2]uint64                         // outbox: of each kind, trimmed up to here since opening

	open    openBatch
	group   grouping
	rows    format.RowCodec
	content format.ContentCodec
	key     []byte
	value   []byte

	filterBytes, tailRows atomic.Int64 // as of the last commit, for Stats
}

// heldLimit bounds the cache of counts; beyond it, it starts again.
const heldLimit = 1 << 20

func openShard(s *Store, id uint16) (*Shard, error) {
	sh := &Shard{store: s, db: s.db.DB, id: id, members: roster{}, held: map[format.BrandMonth]uint64{}, texts: newTexts(&s.texts, s.opts.TailBytes)}
	_, err := get(s.db, format.AppendStateKey(nil, id), func(v []byte) (err error) {
		sh.state, sh.late, err = format.DecodeState(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	sh.facts = format.StateHashOf(sh.state.Facts)
	if err := readPlaces(s.db, id, sh.members); err != nil {
		return nil, err
	}
	if err := sh.readParked(); err != nil {
		return nil, err
	}
	if sh.line, err = openTimeline(s.db.DB, id, &s.opts); err != nil {
		return nil, err
	}
	if err := sh.texts.load(s.db.DB, id, sh.line.tail); err != nil {
		return nil, err
	}
	sh.tailRows.Store(int64(len(sh.line.tail)))
	sh.open.reset(s.db.DB)
	return sh, nil
}

// readPlaces fills a roster.
func readPlaces(r pebble.Reader, shard uint16, members roster) error {
	return scanPrefix(r, format.AppendShard(nil, format.FamilyPlace, shard), func(k, v []byte) error {
		id, p, err := format.DecodePlace(k, v)
		if err != nil {
			return err
		}
		return members.put(p, id)
	})
}

// roster is every member's id by account and ordinal; 0: none.
type roster map[domain.AccountID][]domain.MemberID

// ordinals bounds an account's members in a shard.
const ordinals = 1 << 28

func (r roster) put(p format.Place, id domain.MemberID) error {
	if p.Ord >= ordinals {
		return fmt.Errorf("storage: member with ordinal %d", p.Ord)
	}
	ids := r[p.Account]
	for len(ids) <= int(p.Ord) {
		ids = append(ids, 0)
	}
	ids[p.Ord] = id
	r[p.Account] = ids
	return nil
}

func (r roster) get(account domain.AccountID, ord domain.Ordinal) (domain.MemberID, bool) {
	ids := r[account]
	if int(ord) >= len(ids) || ids[ord] == 0 {
		return 0, false
	}
	return ids[ord], true
}

// usable is nil, or why the shard is not.
func (s *Shard) usable() error {
	if s.err != nil {
		return s.err
	}
	return s.store.usable()
}

// fail makes an error of Stage or Commit the shard's.
func (s *Shard) fail(err error) error {
	if s.err == nil {
		s.err = fmt.Errorf("storage: shard %d must be opened again: %w", s.id, err)
	}
	return err
}

// State is what was stored with the last commit; zero in a new store.
func (s *Shard) State() domain.ShardState { return s.state }

// Member is a member's record as committed; nil: none.
func (s *Shard) Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error) {
	if err := s.store.usable(); err != nil {
		return nil, err
	}
	return readMember(s.db, s.id, account, ord)
}

func readMember(r pebble.Reader, shard uint16, account domain.AccountID, ord domain.Ordinal) (m *domain.Member, err error) {
	_, err = get(r, format.AppendMemberKey(nil, shard, account, ord), func(v []byte) error {
		m = new(domain.Member)
		return format.DecodeMessage(v, m)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Identity is the claim under a hash. The account is part of the hash.
func (s *Shard) Identity(_ domain.AccountID, hash domain.IdentityHash) (domain.Identity, bool, error) {
	if err := s.store.usable(); err != nil {
		return domain.Identity{}, false, err
	}
	return readIdentity(s.db, s.id, hash)
}

func readIdentity(r pebble.Reader, shard uint16, hash domain.IdentityHash) (i domain.Identity, ok bool, err error) {
	k := format.AppendIdentityKey(nil, shard, hash)
	ok, err = get(r, k, func(v []byte) (err error) {
		i, err = format.DecodeIdentity(k, v)
		return err
	})
	return i, ok && err == nil, err
}

// OneTime is the action that counts for a pair of a one-time definition.
func (s *Shard) OneTime(account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID) (o domain.OneTime, ok bool, err error) {
	if err := s.store.usable(); err != nil {
		return o, false, err
	}
	if s.pairs == nil {
		if err := s.readPairs(); err != nil {
			return o, false, err
		}
	}
	if !s.pairs.maybe(mixPair(account, ord, definition, brand)) {
		return o, false, nil
	}
	s.key = format.AppendOneTimeKey(s.key[:0], s.id, account, ord, definition, brand)
	ok, err = get(s.db, s.key, func(v []byte) error {
		o = domain.OneTime{Account: account, Ord: ord, Definition: definition, Brand: brand}
		return format.DecodeOneTime(&o, v)
	})
	return o, ok && err == nil, err
}

// readPairs makes the filter of the one-time pairs: most are asked about once, by the
// first action of their kind, and are not there.
func (s *Shard) readPairs() error {
	var mixes []uint64
	err := scanPrefix(s.db, format.AppendShard(nil, format.FamilyOneTime, s.id), func(k, _ []byte) error {
		o, err := format.ParseOneTimeKey(k)
		mixes = append(mixes, mixPair(o.Account, o.Ord, o.Definition, o.Brand))
		return err
	})
	if err != nil {
		return err
	}
	s.pairs = newFilter(2 * len(mixes))
	for _, x := range mixes {
		s.pairs.add(x)
	}
	return nil
}

func mixPair(account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID) uint64 {
	return mix(account, ord, uint64(definition)<<32|uint64(brand))
}

// Request is a remembered request id; nil: none.
func (s *Shard) Request(day uint32, id domain.RequestID) (*domain.Request, error) {
	if err := s.store.usable(); err != nil {
		return nil, err
	}
	return readRequest(s.db, s.id, day, id)
}

func readRequest(r pebble.Reader, shard uint16, day uint32, id domain.RequestID) (q *domain.Request, err error) {
	_, err = get(r, format.AppendRequestKey(nil, shard, day, id), func(v []byte) error {
		q = new(domain.Request)
		return format.DecodeMessage(v, q)
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Seen finds the member's row with that hash in the first of the months that has one, dead
// ones and staged ones too. It is exact.
func (s *Shard) Seen(account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64) (domain.Row, bool, error) {
	if err := s.usable(); err != nil {
		return domain.Row{}, false, err
	}
	m, found, err := s.line.seen(account, ord, months, hash)
	if !found || err != nil {
		return domain.Row{}, false, err
	}
	id, _ := s.members.get(account, ord)
	return m.Row(id.Slot()), true, nil
}

// Close gives the shard up: what is committed is durable then, what is staged is gone.
func (s *Shard) Close() error {
	if s.closed {
		return nil
	}
	err := s.store.syncNow()
	if s.err == nil { // else Pebble may have the batch still
		err = errors.Join(err, s.open.close())
	}
	s.closed, s.err = true, errClosed
	s.texts.release(s.texts.spare)
	s.store.enter(int(s.id), nil, false)
	return err
}
