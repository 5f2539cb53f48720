package store

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/audit"
	"github.com/ovation-analytics/ovation/storage/contents"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/records"
	"github.com/ovation-analytics/ovation/storage/timeline"
)

// Shard is one shard's part of a store; what it has under keys of its own is as of the last
// commit. One goroutine owns it, but for what Snapshot gives. After an error of Stage or Commit
// it is of no more use: close it and open it again, at the last commit.
type Shard struct {
	records.Set
	lookup
	store  *Store
	id     uint16
	err    error // of Stage or Commit
	closed bool

	state  domain.ShardState // of the last commit
	staged *staging
	rows   brandRows
	fresh  int             // rows added to the open batch
	taken  []format.Action // sealed rows that count no more, in the open batch

	filterBytes atomic.Int64 // as of the last commit, for Stats
	tailRows    atomic.Int64
}

func openShard(s *Store, id uint16) (*Shard, error) {
	db := s.db.DB
	sh := &Shard{Set: records.New(s.reader(), id), store: s, id: id}
	state, recent, err := sh.StoredState()
	if err != nil {
		return nil, err
	}
	sh.state = state
	if sh.staged, err = newStaging(db, id, &state, recent); err != nil {
		return nil, err
	}
	sh.line, err = timeline.Open(db, id, &timeline.Options{
		SealRows: s.opts.SealRows, TailBytes: s.opts.TailBytes, FilterBytes: s.opts.FilterBytes,
		BucketRows: s.opts.bucketRows, Memory: &s.tails,
	})
	if err != nil {
		return nil, err
	}
	sh.members = &sh.staged.members
	sh.ready = sh.usable
	sh.rows = brandRows{
		db: db, shard: id, widths: s.opts.widths, filters: s.filters,
		contents: contents.NewWriter(db, id, s.opts.blockBytes), held: map[format.BrandMonth]uint64{},
	}
	sh.tailRows.Store(int64(len(sh.line.Actions())))
	return sh, nil
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

// Origins calls f with the highest origin applied of each stream.
func (s *Shard) Origins(f func(domain.Origin)) error { return s.EachOrigin(s.staged.recent, f) }

// Members calls f with each member's place, by account and ordinal; members that are
// staged too.
func (s *Shard) Members(f func(account domain.AccountID, ord domain.Ordinal, id domain.MemberID)) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	s.staged.members.Each(f)
	return nil
}

// OneTime is the action that counts for a pair of a one-time definition.
func (s *Shard) OneTime(
	account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID,
) (domain.OneTime, bool, error) {
	if err := s.store.usable(); err != nil {
		return domain.OneTime{}, false, err
	}
	return s.staged.pairs.get(account, ord, definition, brand)
}

// Contents is what each of the rows says beside its columns, nil where nothing is stored; staged rows
// are part of it.
func (s *Shard) Contents(rows []domain.Row) ([]*domain.Content, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	committed := contents.NewView(s.store.reader(), s.id, nil, s.store.filters)
	all, err := committed.Contents(rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if all[i] == nil {
			r := &rows[i]
			if all[i], err = s.line.Content(r.Account, r.Ord, r.Time, r.Seq); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// Prefetch prefetches what Seen, and the staging of a new row, will look at, of all rows
// side by side. Nothing changes.
func (s *Shard) Prefetch(rows []domain.Row) {
	for i := range rows {
		r := &rows[i]
		id, _ := s.staged.members.Get(r.Account, r.Ord)
		s.line.Prefetch(r, uint64(id))
	}
}

// Mark notes that what is staged and committed until now is all records below an offset.
// It becomes durable with the next commit.
func (s *Shard) Mark(at int64) error {
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.staged.mark(at); err != nil {
		return s.fail(fmt.Errorf("stage a mark: %w", err))
	}
	return nil
}

// Recompute is the state hash recomputed from what is stored: timelines, members,
// parked activities, identities and pointers. It equals State().Facts, or the store is not what
// was applied. Nothing may be staged.
func (s *Shard) Recompute() ([16]byte, error) {
	if err := s.usable(); err != nil {
		return [16]byte{}, err
	}
	if !s.staged.batch.Empty() || s.line.Uncommitted() {
		return [16]byte{}, errors.New("storage: state hash computed anew while changes are staged")
	}
	a, err := audit.New(s.store.reader(), s.id, nil, nil)
	if err != nil {
		return [16]byte{}, err
	}
	return a.StateHash()
}

// Headroom is nil, or a *pebblefs.FullError: nothing more should be staged for now.
func (s *Shard) Headroom() error { return s.store.hasRoom() }

// Close gives the shard up: what is committed is durable then, what is staged is gone.
func (s *Shard) Close() error {
	if s.closed {
		return nil
	}
	err := s.store.syncNow()
	if s.err == nil { // else Pebble may have the batch still
		err = errors.Join(err, s.staged.batch.Close())
	}
	s.closed, s.err = true, errClosed
	s.line.Release()
	s.store.enter(int(s.id), nil, false)
	return err
}
