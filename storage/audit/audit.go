package audit

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/internal/scan"
	"github.com/ovation-analytics/ovation/storage/records"
)

// Audit reads all that is stored of a shard, as of one commit, to tell whether it is
// what was applied. One goroutine.
type Audit struct {
	db      pebble.Reader
	records records.Set
	shard   uint16
	state   domain.ShardState
	recent  format.RecentOrigins // in its value
	members records.Roster
	pace    func(bytes int) error
	end     func() error // nil: nothing is to be closed
	closed  atomic.Bool
}

// New audits a shard by a snapshot, which end closes. Pace is called with the bytes that were
// read, again and again, and may wait; its error ends the reading. nil: nothing waits.
func New(snap pebble.Reader, shard uint16, pace func(bytes int) error, end func() error) (*Audit, error) {
	a := &Audit{db: snap, records: records.New(snap, shard), shard: shard, pace: pace, end: end}
	var err error
	if a.state, a.recent, err = a.records.StoredState(); err == nil {
		a.members, err = a.records.Roster()
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
	if a.end == nil || a.closed.Swap(true) {
		return nil
	}
	return a.end()
}

// read reports bytes that were read.
func (a *Audit) read(bytes int) error {
	if a.pace == nil {
		return nil
	}
	return a.pace(bytes)
}

// StateHash is the state hash computed from what is stored.
func (a *Audit) StateHash() ([16]byte, error) {
	var sum format.StateHash
	places := a.records.Places()
	err := a.eachAction(nil, func(_ format.AccountMonth, m *format.Action) error {
		id, known := a.members.Get(m.Account, m.Ord)
		if !known {
			return fmt.Errorf("storage: row %d of no member", m.Seq)
		}
		fact, err := places.Hash(m, id)
		sum.Add(fact)
		return err
	})
	if err == nil {
		err = a.hashRecords(&sum)
	}
	return sum.Bytes(), err
}

// hashRecords adds members, parked activities, identities and pointers.
func (a *Audit) hashRecords(sum *format.StateHash) error {
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
	return scan.Prefix(a.db, format.AppendShard(nil, family, a.shard), func(k, v []byte) error {
		if err := a.read(len(k) + len(v)); err != nil {
			return err
		}
		return f(k, v)
	})
}
