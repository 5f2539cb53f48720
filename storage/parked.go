package storage

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// Parked calls f with every activity that is parked, those of a member in their order, as
// committed.
func (s *Shard) Parked(f func(*domain.Parked) error) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	return s.eachParked(format.AppendShard(nil, format.FamilyParked, s.id), f)
}

// ParkedOf calls f with every activity that is parked for a member, in their order, as
// committed.
func (s *Shard) ParkedOf(account domain.AccountID, ord domain.Ordinal, f func(*domain.Parked) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.eachParked(format.ParkedPrefix(s.id, account, ord), f)
}

func (s *Shard) eachParked(prefix []byte, f func(*domain.Parked) error) error {
	return scanPrefix(s.db, prefix, func(k, v []byte) error {
		p, err := format.DecodeParked(k, v)
		if err != nil {
			return err
		}
		return f(p)
	})
}

// readParked adds up the facts of what is parked, by member.
func (s *Shard) readParked() error {
	s.parked = map[format.Place]format.StateHash{}
	return s.eachParked(format.AppendShard(nil, format.FamilyParked, s.id), func(p *domain.Parked) error {
		s.addParked(p)
		return nil
	})
}

func (s *Shard) addParked(p *domain.Parked) format.StateHash {
	fact, at := format.HashParked(p), format.Place{Account: p.Account, Ord: p.Ord}
	sum := s.parked[at]
	sum.Add(fact)
	s.parked[at] = sum
	return fact
}

// putParked stages an activity that waits for its member.
func (s *Shard) putParked(p *domain.Parked) (err error) {
	s.facts.Add(s.addParked(p))
	s.key = format.AppendParkedKey(s.key[:0], s.id, p)
	if s.value, err = format.AppendMessage(s.value[:0], p); err != nil {
		return err
	}
	return s.open.batch.Set(s.key, s.value, nil)
}

// dropParked stages that nothing waits for a member any more.
func (s *Shard) dropParked(p *domain.Parked) error {
	at := format.Place{Account: p.Account, Ord: p.Ord}
	s.facts.Sub(s.parked[at])
	delete(s.parked, at)
	prefix := format.ParkedPrefix(s.id, p.Account, p.Ord)
	return s.open.batch.DeleteRange(prefix, format.PrefixEnd(prefix), nil)
}
