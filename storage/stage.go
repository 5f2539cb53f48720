package storage

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/storage/format"
)

// openBatch is what is staged and not committed: most changes stand in the batch
// already, rows wait until their groups are known.
type openBatch struct {
	batch *pebble.Batch
	fresh int             // rows added
	taken []format.Action // sealed rows that count no more

	members    map[format.Place]format.StateHash        // of member records staged
	identities map[domain.IdentityHash]format.StateHash // of claims staged; zero: dropped
	pointers   map[domain.Pointer]bool                  // staged: put, or dropped
}

// batchRetained is how large a batch may be to be used again: those that seal are not.
const batchRetained = 1 << 20

func (o *openBatch) reset(db *pebble.DB) {
	if o.batch == nil {
		o.batch = db.NewBatch(pebble.WithMaxRetainedSizeBytes(batchRetained))
		o.members, o.identities, o.pointers = map[format.Place]format.StateHash{}, map[domain.IdentityHash]format.StateHash{}, map[domain.Pointer]bool{}
	} else {
		o.batch.Reset()
	}
	o.fresh, o.taken = 0, o.taken[:0]
	clear(o.members)
	clear(o.identities)
	clear(o.pointers)
}

func (o *openBatch) close() error {
	if o.batch == nil {
		return nil
	}
	err := o.batch.Close()
	o.batch = nil
	return err
}

// lastSequence bounds sequences: action ids are sequence << 12 | slot.
const lastSequence = 1<<52 - 1

// Stage puts changes into the open batch. It keeps nothing of them: their strings and
// contents are the caller's again when it returns.
func (s *Shard) Stage(changes []domain.Change) error {
	if err := s.usable(); err != nil {
		return err
	}
	for i := range changes {
		if err := s.stage(&changes[i]); err != nil {
			return s.fail(fmt.Errorf("stage change %d of kind %d: %w", i, changes[i].Kind, err))
		}
	}
	return nil
}

func (s *Shard) stage(c *domain.Change) error {
	switch c.Kind {
	case domain.RowAdded:
		return s.addRow(&c.Row, c.Content)
	case domain.RowTaken:
		return s.takeRow(&c.Row)
	}
	switch v := c.Value.(type) {
	case *domain.OneTime:
		s.key = format.AppendOneTimeKey(s.key[:0], s.id, v.Account, v.Ord, v.Definition, v.Brand)
		s.value = format.AppendOneTime(s.value[:0], v)
		if s.pairs != nil {
			s.pairs.add(mixPair(v.Account, v.Ord, v.Definition, v.Brand))
		}
		return s.open.batch.Set(s.key, s.value, nil)
	case *domain.Member:
		return s.putMember(v)
	case *domain.Parked:
		if c.Kind == domain.ParkedDrop {
			return s.dropParked(v)
		}
		return s.putParked(v)
	case *domain.Identity:
		return s.putIdentity(v, c.Kind == domain.IdentityDrop)
	case *domain.Pointer:
		return s.putPointer(v, c.Kind == domain.PointerDrop)
	case *domain.Bit:
		return s.putBit(v)
	case *domain.Column:
		s.key = format.AppendColumnKey(s.key[:0], s.id, v.Account, v.Attribute, uint32(v.Ord)/format.ColumnChunk)
		s.value = format.AppendCell(s.value[:0], int(v.Ord)%format.ColumnChunk, v.Value)
		return s.open.batch.Merge(s.key, s.value, nil)
	case *domain.Request:
		return s.putRequest(v)
	case *domain.Outgoing:
		return s.putOutgoing(v)
	case *domain.Published:
		return s.trimOutbox(v)
	case *domain.UsageCount:
		s.key, s.value = format.AppendUsageKey(s.key[:0], s.id, v.Usage), format.AppendUsage(s.value[:0], v.Account, v.Total)
		return s.open.batch.Merge(s.key, s.value, nil)
	}
	return fmt.Errorf("unknown change with a %T", c.Value)
}

// addRow stages a new action. One that is dead from the start leaves its mark only.
func (s *Shard) addRow(r *domain.Row, content *domain.Content) error {
	id, known := s.members.get(r.Account, r.Ord)
	if !known || r.Seq > lastSequence {
		return fmt.Errorf("row %d of account %d, ordinal %d: no such member or sequence", r.Seq, r.Account, r.Ord)
	}
	m := format.Action{
		Hash: r.Hash, Seq: r.Seq, Time: r.Time, Account: r.Account, Ord: r.Ord, Brand: r.Brand, Definition: r.Definition,
		Points: r.Points, Month: domain.MonthOf(r.Time), Service: r.Service, Flags: r.Flags,
	}
	s.line.add(m)
	s.facts.Add(format.HashAction(&m, id))
	if content != nil {
		s.texts.put(len(s.line.tail)-1, &m, content)
	}
	s.open.fresh++
	return nil
}

// takeRow stages that an action counts no more; its mark stays, with more flags.
func (s *Shard) takeRow(r *domain.Row) error {
	id, known := s.members.get(r.Account, r.Ord)
	m, i, found, err := s.line.at(r.Account, r.Ord, r.Time, r.Seq)
	if err != nil {
		return err
	}
	if !known || !found || !r.Flags.Dead() {
		return fmt.Errorf("row %d of account %d, ordinal %d is not there to be taken with flags %d", r.Seq, r.Account, r.Ord, r.Flags)
	}
	before := m
	m.Flags |= r.Flags
	s.facts.Sub(format.HashAction(&before, id))
	s.facts.Add(format.HashAction(&m, id))
	if i >= s.line.committed {
		s.line.tail[i].Flags = m.Flags
		return nil
	}
	s.line.add(m)
	switch {
	case before.Flags.Dead():
		return nil
	case i >= 0:
		return s.dropText(r.Seq)
	}
	s.open.taken = append(s.open.taken, m)
	return nil
}

// putMember stages a member's record in the place of an older one.
func (s *Shard) putMember(m *domain.Member) (err error) {
	p := format.Place{Account: m.Account, Ord: m.Ord}
	old, staged := s.open.members[p]
	id, known := s.members.get(m.Account, m.Ord)
	if known && id != m.ID {
		return fmt.Errorf("member %d in the place of %d", m.ID, id)
	}
	if known && !staged {
		stored, err := readMember(s.db, s.id, m.Account, m.Ord)
		if err != nil {
			return err
		}
		if stored != nil {
			old = format.HashMember(stored)
		}
	}
	now := format.HashMember(m)
	s.facts.Sub(old)
	s.facts.Add(now)
	s.open.members[p] = now
	if !known {
		if err := s.members.put(p, m.ID); err != nil {
			return err
		}
		s.key, s.value = format.AppendPlaceKey(s.key[:0], s.id, m.ID), format.AppendPlace(s.value[:0], p)
		if err := s.open.batch.Set(s.key, s.value, nil); err != nil {
			return err
		}
	}
	s.key = format.AppendMemberKey(s.key[:0], s.id, m.Account, m.Ord)
	if s.value, err = format.AppendMessage(s.value[:0], m); err != nil {
		return err
	}
	return s.open.batch.Set(s.key, s.value, nil)
}

func (s *Shard) putIdentity(i *domain.Identity, drop bool) error {
	old, staged := s.open.identities[i.Hash]
	if !staged {
		stored, found, err := readIdentity(s.db, s.id, i.Hash)
		if err != nil {
			return err
		}
		if found {
			old = format.HashIdentity(&stored)
		}
	}
	s.facts.Sub(old)
	s.key = format.AppendIdentityKey(s.key[:0], s.id, i.Hash)
	if drop {
		s.open.identities[i.Hash] = format.StateHash{}
		return s.open.batch.Delete(s.key, nil)
	}
	now := format.HashIdentity(i)
	s.facts.Add(now)
	s.open.identities[i.Hash] = now
	s.value = format.AppendIdentity(s.value[:0], i)
	return s.open.batch.Set(s.key, s.value, nil)
}

func (s *Shard) putBit(v *domain.Bit) (err error) {
	var ok bool
	if s.key, ok = format.AppendBitsKey(s.key[:0], s.id, v.Account, v.Attribute, v.Value, uint16(v.Ord>>16)); !ok {
		return fmt.Errorf("value of attribute %d has %d bytes", v.Attribute, len(v.Value))
	}
	s.value = format.AppendBit(s.value[:0], uint16(v.Ord), v.On)
	return s.open.batch.Merge(s.key, s.value, nil)
}

func (s *Shard) putRequest(v *domain.Request) (err error) {
	s.key = format.AppendRequestKey(s.key[:0], s.id, v.Day, v.ID)
	if s.value, err = format.AppendMessage(s.value[:0], v); err != nil {
		return err
	}
	return s.open.batch.Set(s.key, s.value, nil)
}

func (s *Shard) putOutgoing(v *domain.Outgoing) (err error) {
	if !publishable(v) {
		return fmt.Errorf("outbox entry %d is neither a record nor a dead letter", v.Sequence)
	}
	if s.value, err = format.AppendMessage(s.value[:0], v); err != nil {
		return err
	}
	kind := byte(format.OutboxForward)
	if v.Dead != nil {
		kind = format.OutboxDead
	}
	s.key = format.AppendOutboxKey(s.key[:0], s.id, kind, v.Sequence)
	return s.open.batch.Set(s.key, s.value, nil)
}

// publishable reports that an outbox entry is one of a whole record and a dead letter.
func publishable(v *domain.Outgoing) bool {
	r := v.Forward
	if r == nil || v.Dead != nil {
		return r == nil && v.Dead != nil
	}
	if r.Command == nil {
		return r.Kind == domain.KindActivity || r.Kind == domain.KindForward
	}
	return r.Command.Kind() == r.Kind
}

// trimOutbox drops what was published; each kind has a cursor of its own.
func (s *Shard) trimOutbox(v *domain.Published) error {
	for kind, upTo := range [...]uint64{format.OutboxForward: v.UpTo, format.OutboxDead: v.DeadUpTo} {
		if upTo <= s.trimmed[kind] || upTo == 1<<64-1 {
			continue
		}
		from := format.AppendOutboxKey(nil, s.id, byte(kind), s.trimmed[kind])
		if err := s.open.batch.DeleteRange(from, format.AppendOutboxKey(nil, s.id, byte(kind), upTo+1), nil); err != nil {
			return err
		}
		s.trimmed[kind] = upTo
	}
	return nil
}
