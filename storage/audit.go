package storage

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Audit reads all that is stored of a shard, as of one commit, to tell whether it is
// what was applied. One goroutine; it keeps what is compacted away on the disk until it
// is closed.
type Audit struct {
	store   *Store // nil: the snapshot is the shard's to close
	db      pebble.Reader
	snap    *pebble.Snapshot
	shard   uint16
	state   domain.ShardState
	late    format.RecentOrigins // in its value
	members roster
	pace    func(bytes int) error
	closed  atomic.Bool
}

// Audit is a shard as of its last commit, whether it is open or not. Pace is called with
// the bytes that were read, again and again, and may wait; its error ends the reading.
// nil: nothing waits.
func (s *Store) Audit(shard int, pace func(bytes int) error) (*Audit, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	snap := s.db.NewSnapshot()
	s.snapshot.Add(1)
	a := &Audit{store: s, db: snap, snap: snap, shard: uint16(shard), members: roster{}, pace: pace}
	_, err := get(snap, format.AppendStateKey(nil, a.shard), func(v []byte) (err error) {
		a.state, a.late, err = format.DecodeState(v)
		return err
	})
	if err == nil {
		err = readPlaces(snap, a.shard, a.members)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("storage: audit of shard %d: %w", shard, err), a.Close())
	}
	return a, nil
}

// State is the shard's state as of the commit.
func (a *Audit) State() domain.ShardState { return a.state }

// Close gives the audit up; a second time it does nothing.
func (a *Audit) Close() error {
	if a.store == nil || a.closed.Swap(true) {
		return nil
	}
	a.store.snapshot.Add(-1)
	return a.snap.Close()
}

// read tells what was read.
func (a *Audit) read(bytes int) error {
	if a.pace == nil {
		return nil
	}
	return a.pace(bytes)
}

// Recompute is the facts computed anew from what is stored: timelines, members,
// parked activities, identities and pointers. They equal State().Facts, or the store is not what was applied. Nothing
// may be staged.
func (s *Shard) Recompute() ([16]byte, error) {
	if err := s.usable(); err != nil {
		return [16]byte{}, err
	}
	if !s.open.batch.Empty() || s.open.fresh > 0 || len(s.line.tail) > s.line.committed {
		return [16]byte{}, errors.New("storage: facts computed anew while changes are staged")
	}
	a := &Audit{db: s.db, shard: s.id, state: s.state, members: s.members}
	return a.Facts()
}

// Facts is the state hash computed anew from what is stored.
func (a *Audit) Facts() ([16]byte, error) {
	var sum format.StateHash
	err := a.eachMark(nil, func(_ format.AccountMonth, m *format.Action) error {
		id, known := a.members.get(m.Account, m.Ord)
		if !known {
			return fmt.Errorf("storage: row %d of no member", m.Seq)
		}
		sum.Add(format.HashAction(m, id))
		return nil
	})
	if err == nil {
		err = a.factsBeside(&sum)
	}
	return sum.Bytes(), err
}

// factsBeside adds the facts of members, parked activities, identities and pointers.
func (a *Audit) factsBeside(sum *format.StateHash) error {
	err := a.scan(format.FamilyMember, func(_, v []byte) error {
		var m domain.Member
		err := format.DecodeMessage(v, &m)
		sum.Add(format.HashMember(&m))
		return err
	})
	if err != nil {
		return err
	}
	err = a.scan(format.FamilyParked, func(k, v []byte) error {
		p, err := format.DecodeParked(k, v)
		if err == nil {
			sum.Add(format.HashParked(p))
		}
		return err
	})
	if err != nil {
		return err
	}
	err = a.scan(format.FamilyIdentity, func(k, v []byte) error {
		i, err := format.DecodeIdentity(k, v)
		sum.Add(format.HashIdentity(&i))
		return err
	})
	if err != nil {
		return err
	}
	return a.scan(format.FamilyPointer, func(k, v []byte) error {
		p, err := format.DecodePointer(k, v)
		sum.Add(format.HashPointer(&p))
		return err
	})
}

// scan calls f with the shard's keys of a family that begins with the shard.
func (a *Audit) scan(family byte, f func(k, v []byte) error) error {
	return scanPrefix(a.db, format.AppendShard(nil, family, a.shard), func(k, v []byte) error {
		if err := a.read(len(k) + len(v)); err != nil {
			return err
		}
		return f(k, v)
	})
}
