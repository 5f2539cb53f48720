package domain

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Ids of accounts, applications, brands, definitions and segments come from one
// counter over the installation each and are never used again. 0 is none.
type (
	AccountID     uint32
	ApplicationID uint32
	BrandID       uint32
	DefinitionID  uint32
	SegmentID     uint32
)

// FirstDefinition is the id of the first definition that an account makes;
// smaller ones are built in.
const FirstDefinition DefinitionID = 100

// The built-in definitions: visits. They belong to brand 0 of every account and
// are no part of any answer about activity.
const (
	Registration DefinitionID = 1
	Login        DefinitionID = 2
)

// Slots is the number of slots, fixed for ever: a member's slot is part of its
// id.
const Slots = 4096

// Slot is one of the Slots that members are spread over.
type Slot uint16

// Shard is the shard that owns the slot when there are so many shards: shards
// own contiguous ranges of slots.
func (s Slot) Shard(shards int) int { return int(s) * shards / Slots }

// FirstSlot is the first slot that a shard owns, of so many shards.
func FirstSlot(shard, shards int) Slot { return Slot((shard*Slots + shards - 1) / shards) }

// MemberID is sequence << 12 | slot; sequences count by slot from 1.
type MemberID uint64

// MemberIDOf is the id of the slot's n-th member.
func MemberIDOf(sequence uint64, slot Slot) MemberID {
	return MemberID(sequence<<12 | uint64(slot))
}

// Slot is where the member lives.
func (m MemberID) Slot() Slot { return Slot(m & (Slots - 1)) }

// Sequence is the member's number within its slot.
func (m MemberID) Sequence() uint64 { return uint64(m) >> 12 }

// The id of a shadow is that of the lender with shadowBit, which no member's has, and above it how
// many shadows of the lender the shard had before.
const (
	shadowBit   MemberID = 1 << 47
	shadowShift          = 48
)

// Shadow is the id under which a shard keeps the copies of a member's rows, once it has had n before.
func (m MemberID) Shadow(n int) MemberID { return m | shadowBit | MemberID(n)<<shadowShift }

// MaxShadows is how many shadows of a member a shard can have one after the other.
const MaxShadows = 1 << (64 - shadowShift)

// IsShadow reports the id of a shadow.
func (m MemberID) IsShadow() bool { return m&shadowBit != 0 }

// Lender is the member whose rows a shadow has, and how many shadows of it were before.
func (m MemberID) Lender() (id MemberID, before int) {
	return m & (shadowBit - 1), int(m >> shadowShift)
}

// ActionID is sequence << 12 | slot of the member; sequences count by shard.
type ActionID uint64

// ActionIDOf is the id of the action with this sequence of a member of slot.
func ActionIDOf(sequence uint64, slot Slot) ActionID {
	return ActionID(sequence<<12 | uint64(slot))
}

// Slot is that of the member who did it.
func (a ActionID) Slot() Slot { return Slot(a & (Slots - 1)) }

// Sequence is the action's number within its shard.
func (a ActionID) Sequence() uint64 { return uint64(a) >> 12 }

// Ordinal is a member's dense number within (shard, account), from 0, never used
// again: the unit of bitmaps and columns. No question sees another account's.
type Ordinal uint32

// MaxID is the greatest id a parameter may hold: 2^53-1.
const MaxID = 1<<53 - 1

// TopicID is a Kafka topic's UUID; another one under the same name is another
// log.
type TopicID [16]byte

// IsZero reports that no topic is named.
func (t TopicID) IsZero() bool { return t == TopicID{} }

// String is the UUID in its usual form.
func (t TopicID) String() string {
	h := hex.EncodeToString(t[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ParseTopicID reads an id as String writes it.
func ParseTopicID(s string) (id TopicID, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != len(id) || TopicID(b).String() != s {
		return TopicID{}, errors.New("a topic's id has 32 hex digits in five groups")
	}
	return TopicID(b), nil
}

// RequestID names a command: a hash of (application, Idempotency-Key), or random.
// The zero value is none.
type RequestID [16]byte

// IsZero reports that there is no request.
func (r RequestID) IsZero() bool { return r == RequestID{} }

// String is the id in hex.
func (r RequestID) String() string { return hex.EncodeToString(r[:]) }

// Origin is the one place a record came from: an offset of a source partition,
// or, for a forward, a sequence of its sender's outbox. A shard keeps the highest
// it applied for each (Topic, Partition) and drops what is not above it (I2).
type Origin struct {
	Topic     TopicID
	Partition int32
	Epoch     int32 // leader epoch of the batch; of an outbox the sender's life
	Offset    int64 // of an outbox the sequence
}

// IsZero reports that the record came from nowhere: a command over HTTP.
func (o Origin) IsZero() bool { return o.Topic.IsZero() }

// Above reports that o comes after p in the stream both belong to.
func (o Origin) Above(p Origin) bool {
	return o.Epoch > p.Epoch || o.Epoch == p.Epoch && o.Offset > p.Offset
}

// String is topic/partition/epoch/offset.
func (o Origin) String() string {
	return fmt.Sprintf("%s/%d/%d/%d", o.Topic, o.Partition, o.Epoch, o.Offset)
}
