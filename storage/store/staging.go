package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/records"
)

// staging is the open batch of a shard, and the state hash with it: what is put or dropped is
// in the batch at once, and in the hash, for which it knows what was there before.
type staging struct {
	committed records.Set
	shard     uint16
	batch     *pebble.Batch
	hash      format.StateHash
	members   records.Roster // those staged included
	parked    map[format.Place]format.StateHash
	pairs     oneTimePairs
	places    *records.Places            // of visits, those staged included
	recent    format.RecentOrigins       // in the state's value
	trimmed   [domain.OutboxKinds]uint64 // outbox: of each kind, trimmed up to here since opening

	put        map[format.Place]format.StateHash        // of member records in the batch
	identities map[domain.IdentityHash]format.StateHash // of claims in the batch; zero: dropped
	pointers   map[domain.Pointer]bool                  // in the batch: put, or dropped

	key   []byte
	value []byte
}

// batchRetained is how large a batch may be to be used again: those that seal are not.
const batchRetained = 1 << 20

func newStaging(db *pebble.DB, shard uint16, state *domain.ShardState, recent format.RecentOrigins) (*staging, error) {
	s := &staging{
		committed: records.New(db, shard), shard: shard,
		batch: db.NewBatch(pebble.WithMaxRetainedSizeBytes(batchRetained)), hash: format.StateHashOf(state.Facts),
		recent: recent, parked: map[format.Place]format.StateHash{}, pairs: oneTimePairs{db: db, shard: shard},
		put:        map[format.Place]format.StateHash{},
		identities: map[domain.IdentityHash]format.StateHash{},
		pointers:   map[domain.Pointer]bool{},
	}
	var err error
	if s.members, err = s.committed.Roster(); err != nil {
		return nil, err
	}
	s.places = s.committed.Places()
	return s, s.committed.Parked(func(p *domain.Parked) error {
		s.addParked(p)
		return nil
	})
}

// reset begins a new batch, the last one is committed.
func (s *staging) reset() {
	s.batch.Reset()
	s.places.Stored()
	clear(s.put)
	clear(s.identities)
	clear(s.pointers)
}

// stage puts a change into the batch that is no row.
func (s *staging) stage(c *domain.Change) error {
	switch v := c.Value.(type) {
	case *domain.OneTime:
		s.key = format.AppendOneTimeKey(s.key[:0], s.shard, v.Account, v.Ord, v.Definition, v.Brand)
		s.value = format.AppendOneTime(s.value[:0], v)
		if err := s.pairs.add(v); err != nil {
			return err
		}
		return s.batch.Set(s.key, s.value, nil)
	case *domain.Member:
		return s.putMember(v)
	case *domain.Parked:
		if c.Kind == domain.ParkedDrop {
			return s.dropParked(v)
		}
		s.hash.Add(s.addParked(v))
		s.key = format.AppendParkedKey(s.key[:0], s.shard, v)
		return s.setMessage(v)
	case *domain.Identity:
		return s.putIdentity(v, c.Kind == domain.IdentityDrop)
	case *domain.Pointer:
		return s.putPointer(v, c.Kind == domain.PointerDrop)
	case *domain.Bit:
		return s.putBit(v)
	case *domain.Column:
		s.key = format.AppendColumnKey(s.key[:0], s.shard, v.Account, v.Attribute, uint32(v.Ord)/format.ColumnChunk)
		s.value = format.AppendCell(s.value[:0], int(v.Ord)%format.ColumnChunk, v.Value)
		return s.batch.Merge(s.key, s.value, nil)
	case *domain.Request:
		s.key = format.AppendRequestKey(s.key[:0], s.shard, v.Day, v.ID)
		return s.setMessage(v)
	case *domain.Outgoing:
		return s.putOutgoing(v)
	case *domain.Published:
		return s.trimOutbox(v)
	case *domain.NumberedPlace:
		s.places.Put(v)
		s.key = format.AppendVisitPlaceKey(s.key[:0], s.shard, v.Account, v.Number)
		s.value = format.AppendVisitPlace(s.value[:0], v.VisitPlace)
		return s.batch.Set(s.key, s.value, nil)
	case *domain.UsageCount:
		s.key = format.AppendUsageKey(s.key[:0], s.shard, v.Usage)
		s.value = format.AppendUsage(s.value[:0], v.Account, v.Total)
		return s.batch.Merge(s.key, s.value, nil)
	case *domain.ProgressChange:
		return s.putProgress(v)
	case *domain.Notice:
		s.key = format.AppendNoticeKey(s.key[:0], s.shard, v.Account, v.Seq)
		s.value = format.AppendNotice(s.value[:0], v)
		return s.batch.Set(s.key, s.value, nil)
	case *domain.Membership:
		s.key = format.AppendMembershipKey(s.key[:0], s.shard, v.Account, v.Segment, v.Seq)
		s.value = format.AppendMembership(s.value[:0], v)
		return s.batch.Set(s.key, s.value, nil)
	case *domain.FollowedList:
		return s.putFollowed(v, c.Kind == domain.FollowedDrop)
	}
	return fmt.Errorf("unknown change with a %T", c.Value)
}

// setMessage puts a message under the key.
func (s *staging) setMessage(v any) (err error) {
	if s.value, err = format.AppendMessage(s.value[:0], v); err != nil {
		return err
	}
	return s.batch.Set(s.key, s.value, nil)
}

// putMember stages a member's record, which replaces an older one.
func (s *staging) putMember(m *domain.Member) error {
	p := format.Place{Account: m.Account, Ord: m.Ord}
	old, staged := s.put[p]
	id, known := s.members.Get(m.Account, m.Ord)
	if known && id != m.ID {
		return fmt.Errorf("member %d in the place of %d", m.ID, id)
	}
	if known && !staged {
		stored, err := s.committed.Member(m.Account, m.Ord)
		if err != nil {
			return err
		}
		if stored != nil {
			old = format.HashMember(stored)
		}
	}
	now := format.HashMember(m)
	s.hash.Sub(old)
	s.hash.Add(now)
	s.put[p] = now
	if !known {
		if err := s.members.Put(p, m.ID); err != nil {
			return err
		}
		s.key, s.value = format.AppendPlaceKey(s.key[:0], s.shard, m.ID), format.AppendPlace(s.value[:0], p)
		if err := s.batch.Set(s.key, s.value, nil); err != nil {
			return err
		}
	}
	s.key = format.AppendMemberKey(s.key[:0], s.shard, m.Account, m.Ord)
	return s.setMessage(m)
}

func (s *staging) putIdentity(i *domain.Identity, drop bool) error {
	old, staged := s.identities[i.Hash]
	if !staged {
		stored, found, err := s.committed.Identity(0, i.Hash)
		if err != nil {
			return err
		}
		if found {
			old = format.HashIdentity(&stored)
		}
	}
	s.hash.Sub(old)
	s.key = format.AppendIdentityKey(s.key[:0], s.shard, i.Hash)
	if drop {
		s.identities[i.Hash] = format.StateHash{}
		return s.batch.Delete(s.key, nil)
	}
	now := format.HashIdentity(i)
	s.hash.Add(now)
	s.identities[i.Hash] = now
	s.value = format.AppendIdentity(s.value[:0], i)
	return s.batch.Set(s.key, s.value, nil)
}

// putPointer stages that a pointer is there, or is no more.
func (s *staging) putPointer(p *domain.Pointer, drop bool) error {
	there, staged := s.pointers[*p]
	if !staged {
		var err error
		if there, err = s.committed.Pointer(p); err != nil {
			return err
		}
	}
	s.pointers[*p] = !drop
	s.key = format.AppendPointerKey(s.key[:0], s.shard, p)
	if drop {
		if there {
			s.hash.Sub(format.HashPointer(p))
		}
		return s.batch.Delete(s.key, nil)
	}
	if !there {
		s.hash.Add(format.HashPointer(p))
	}
	s.value = format.AppendPointer(s.value[:0])
	return s.batch.Set(s.key, s.value, nil)
}

// addParked adds a parked activity to those of its member.
func (s *staging) addParked(p *domain.Parked) format.StateHash {
	fact, at := format.HashParked(p), format.Place{Account: p.Account, Ord: p.Ord}
	sum := s.parked[at]
	sum.Add(fact)
	s.parked[at] = sum
	return fact
}

// dropParked stages that no activity of a member is parked any more.
func (s *staging) dropParked(p *domain.Parked) error {
	at := format.Place{Account: p.Account, Ord: p.Ord}
	s.hash.Sub(s.parked[at])
	delete(s.parked, at)
	prefix := format.ParkedPrefix(s.shard, p.Account, p.Ord)
	return s.batch.DeleteRange(prefix, format.PrefixEnd(prefix), nil)
}

// putFollowed stages a list that is followed, and drops the memberships up to where they are gone; or drops the list
// with all of them.
func (s *staging) putFollowed(l *domain.FollowedList, drop bool) error {
	s.key = format.AppendFollowedKey(s.key[:0], s.shard, l.Account, l.Segment)
	if drop {
		if err := s.batch.Delete(s.key, nil); err != nil {
			return err
		}
	} else if err := s.setMessage(l); err != nil || l.Gone == 0 {
		return err
	}
	prefix := format.MembershipPrefix(s.shard, l.Account, l.Segment)
	end := format.PrefixEnd(prefix)
	if !drop && l.Gone < 1<<64-1 {
		end = format.AppendMembershipKey(nil, s.shard, l.Account, l.Segment, l.Gone+1)
	}
	return s.batch.DeleteRange(prefix, end, nil)
}

func (s *staging) putBit(v *domain.Bit) error {
	var ok bool
	if s.key, ok = format.AppendBitsKey(s.key[:0], s.shard, v.Account, v.Attribute, v.Value, uint16(v.Ord>>16)); !ok {
		return fmt.Errorf("value of attribute %d has %d bytes", v.Attribute, len(v.Value))
	}
	s.value = format.AppendBit(s.value[:0], uint16(v.Ord), v.On)
	return s.batch.Merge(s.key, s.value, nil)
}

func (s *staging) putOutgoing(v *domain.Outgoing) error {
	if !publishable(v) {
		return fmt.Errorf("outbox entry %d is neither a record, nor a dead letter, nor keys to delete", v.Sequence)
	}
	s.key = format.AppendOutboxKey(s.key[:0], s.shard, v.Kind(), v.Sequence)
	return s.setMessage(v)
}

// publishable reports that an outbox entry is of one kind, and a record whole.
func publishable(v *domain.Outgoing) bool {
	r := v.Forward
	if !v.OneKind() || r == nil {
		return v.OneKind()
	}
	if r.Command == nil {
		return r.Kind == domain.KindActivity || r.Kind == domain.KindForward
	}
	return r.Command.Kind() == r.Kind
}

// trimOutbox drops what was published; each kind has a cursor of its own.
func (s *staging) trimOutbox(v *domain.Published) error {
	for k, upTo := range v.Cursors() {
		kind := domain.OutboxKind(k)
		if upTo <= s.trimmed[kind] || upTo == 1<<64-1 {
			continue
		}
		from := format.AppendOutboxKey(nil, s.shard, kind, s.trimmed[kind])
		if err := s.batch.DeleteRange(from, format.AppendOutboxKey(nil, s.shard, kind, upTo+1), nil); err != nil {
			return err
		}
		s.trimmed[kind] = upTo
	}
	return nil
}

// mark stages the state hash as that of all records below an offset.
func (s *staging) mark(at int64) error {
	s.key = format.AppendStateMarkKey(s.key[:0], s.shard, at)
	s.value = format.AppendStateMark(s.value[:0], s.hash)
	return s.batch.Set(s.key, s.value, nil)
}

// forgetRequests drops the request ids of the days before yesterday when the shard's clock
// comes to a new day.
func (s *staging) forgetRequests(b *pebble.Batch, before, now int64) error {
	day := now / 86400_000
	if day <= before/86400_000 || day > 1<<32-1 {
		return nil
	}
	from := format.AppendShard(nil, format.FamilyRequest, s.shard)
	return b.DeleteRange(from, format.RequestDay(s.shard, uint32(max(day-1, 0))), nil)
}

// setState stages the state of a commit, and the origins that moved.
func (s *staging) setState(b *pebble.Batch, state *domain.ShardState, origins []domain.Origin) error {
	if s.recent.Move(origins) {
		for _, o := range s.recent {
			s.key = format.AppendOriginKey(s.key[:0], s.shard, o.Topic, o.Partition)
			s.value = format.AppendOrigin(s.value[:0], o)
			if err := b.Set(s.key, s.value, nil); err != nil {
				return err
			}
		}
		s.recent = s.recent[:0]
	}
	state.Facts = s.hash.Bytes()
	s.key = format.AppendStateKey(s.key[:0], s.shard)
	s.value = format.AppendState(s.value[:0], state, s.recent)
	return b.Set(s.key, s.value, nil)
}
