package storage

import (
	"github.com/ovation-analytics/ovation/actors/domain"
)

// Parked calls f with every activity that is parked, those of a member in their order, as
// committed.
func (s *Shard) Parked(f func(*domain.Parked) error) error {
	if err := s.store.usable(); err != nil {
		return err
	}
	return s.eachParked(appendShard(nil, familyParked, s.id), f)
}

// ParkedOf calls f with every activity that is parked for a member, in their order, as
// committed.
func (s *Shard) ParkedOf(account domain.AccountID, ord domain.Ordinal, f func(*domain.Parked) error) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.eachParked(parkedPrefix(s.id, account, ord), f)
}

func (s *Shard) eachParked(prefix []byte, f func(*domain.Parked) error) error {
	return scanPrefix(s.db, prefix, func(k, v []byte) error {
		p, err := decodeParked(k, v)
		if err != nil {
			return err
		}
		return f(p)
	})
}

// readParked adds up the facts of what is parked, by member.
func (s *Shard) readParked() error {
	s.parked = map[place]facts{}
	return s.eachParked(appendShard(nil, familyParked, s.id), func(p *domain.Parked) error {
		s.addParked(p)
		return nil
	})
}

func (s *Shard) addParked(p *domain.Parked) facts {
	fact, at := factOfParked(p), place{p.Account, p.Ord}
	sum := s.parked[at]
	sum.add(fact)
	s.parked[at] = sum
	return fact
}

// putParked stages an activity that waits for its member.
func (s *Shard) putParked(p *domain.Parked) (err error) {
	s.facts.add(s.addParked(p))
	s.key = appendParkedKey(s.key[:0], s.id, p)
	if s.value, err = appendMessage(s.value[:0], p); err != nil {
		return err
	}
	return s.open.batch.Set(s.key, s.value, nil)
}

// dropParked stages that nothing waits for a member any more.
func (s *Shard) dropParked(p *domain.Parked) error {
	at := place{p.Account, p.Ord}
	s.facts.sub(s.parked[at])
	delete(s.parked, at)
	prefix := parkedPrefix(s.id, p.Account, p.Ord)
	return s.open.batch.DeleteRange(prefix, after(prefix), nil)
}
