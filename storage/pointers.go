package storage

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// putPointer stages that a pointer is there, or is no more.
func (s *Shard) putPointer(p *domain.Pointer, drop bool) error {
	there, staged := s.open.pointers[*p]
	s.key = format.AppendPointerKey(s.key[:0], s.id, p)
	if !staged {
		var err error
		if there, err = get(s.db, s.key, func([]byte) error { return nil }); err != nil {
			return err
		}
	}
	s.open.pointers[*p] = !drop
	if drop {
		if there {
			s.facts.Sub(format.HashPointer(p))
		}
		return s.open.batch.Delete(s.key, nil)
	}
	if !there {
		s.facts.Add(format.HashPointer(p))
	}
	return s.open.batch.Set(s.key, format.AppendPointer(nil), nil)
}

// readEarliest is the member of the first key under a hash; 0: none.
func readEarliest(r pebble.Reader, shard uint16, hash domain.IdentityHash) (id domain.MemberID, err error) {
	prefix := format.PointerPrefix(shard, hash)
	err = scan(r, prefix, format.PrefixEnd(prefix), func(k, v []byte) (bool, error) {
		p, err := format.DecodePointer(k, v)
		id = p.Member
		return false, err
	})
	return id, err
}

// readPointed calls f with the member of every key under a hash.
func readPointed(r pebble.Reader, shard uint16, hash domain.IdentityHash, f func(domain.MemberID)) error {
	return scanPrefix(r, format.PointerPrefix(shard, hash), func(k, v []byte) error {
		p, err := format.DecodePointer(k, v)
		if err == nil {
			f(p.Member)
		}
		return err
	})
}
