package storage

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Recompute is the facts computed anew from what is stored: timelines, members,
// identities and pointers. They equal State().Facts, or the store is not what was applied. Nothing
// may be staged.
func (s *Shard) Recompute() ([16]byte, error) {
	if err := s.usable(); err != nil {
		return [16]byte{}, err
	}
	if !s.open.batch.Empty() || s.open.fresh > 0 || len(s.line.tail) > s.line.committed {
		return [16]byte{}, errors.New("storage: facts computed anew while changes are staged")
	}
	var sum facts
	err := s.line.eachAction(func(m *mark) error {
		id, known := s.members.get(m.account, m.ord)
		if !known {
			return fmt.Errorf("storage: row %d of no member", m.seq)
		}
		sum.add(factOfMark(m, id))
		return nil
	})
	if err != nil {
		return [16]byte{}, err
	}
	err = scanPrefix(s.db, appendShard(nil, familyMember, s.id), func(_, v []byte) error {
		var m domain.Member
		err := decodeEntity(v, &m)
		sum.add(factsOfMember(&m))
		return err
	})
	if err != nil {
		return [16]byte{}, err
	}
	err = scanPrefix(s.db, appendShard(nil, familyClaim, s.id), func(k, v []byte) error {
		if len(k) != 19 {
			return damaged("i")
		}
		i, err := decodeClaim(domain.IdentityHash(k[3:]), v)
		sum.add(factOfIdentity(&i))
		return err
	})
	if err != nil {
		return [16]byte{}, err
	}
	err = scanPrefix(s.db, appendShard(nil, familyPointer, s.id), func(k, v []byte) error {
		p, err := decodePointer(k, v)
		sum.add(factOfPointer(&p))
		return err
	})
	return sum.bytes(), err
}

// eachAction calls f once with every action there ever was, with all its flags: the
// stored marks of each bucket and those of the tail put together. It holds one bucket
// of the finest class at a time.
func (t *timeline) eachAction(f func(m *mark) error) error {
	tail, err := t.storedTail()
	if err != nil {
		return err
	}
	for k := range t.sealed {
		if _, there := tail[k]; !there {
			tail[k] = nil
		}
	}
	for k, unsealed := range tail {
		set := t.sealed[k].classes
		finest := uint8(max(bits.Len32(set)-1, 0))
		byBucket := map[uint32][]mark{}
		for i := range unsealed {
			bucket := bucketOf(finest, unsealed[i].ord)
			byBucket[bucket] = append(byBucket[bucket], unsealed[i])
		}
		for bucket := range uint32(1) << finest {
			marks, err := t.bucketMarks(byBucket[bucket], k, set, finest, bucket)
			if err != nil {
				return err
			}
			for i := range marks {
				if err := f(&marks[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// storedTail is what T holds, by account and month.
func (t *timeline) storedTail() (map[accountMonth][]mark, error) {
	tail := map[accountMonth][]mark{}
	var marks []mark
	err := scanPrefix(t.db, appendShard(nil, familyTail, t.shard), func(_, v []byte) (err error) {
		marks, err = decodeTail(marks[:0], v)
		for _, m := range marks {
			k := accountMonth{m.account, m.month}
			tail[k] = append(tail[k], m)
		}
		return err
	})
	return tail, err
}

// bucketMarks appends what each class holds of a bucket of the finest, sorted, each
// action once.
func (t *timeline) bucketMarks(marks []mark, k accountMonth, set uint32, finest uint8, bucket uint32) ([]mark, error) {
	for ; set != 0; set &= set - 1 {
		class := uint8(bits.TrailingZeros32(set))
		_, err := get(t.db, appendLineKey(nil, t.shard, k, class, bucketOf(class, domain.Ordinal(bucket))), func(v []byte) error {
			from := len(marks)
			var err error
			marks, err = appendMarks(marks, v, k)
			if class < finest {
				kept := slices.DeleteFunc(marks[from:], func(m mark) bool { return bucketOf(finest, m.ord) != bucket })
				marks = marks[:from+len(kept)]
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(marks, func(a, b mark) int {
		switch {
		case a.earlier(&b):
			return -1
		case b.earlier(&a):
			return 1
		}
		return 0
	})
	return together(marks), nil
}
