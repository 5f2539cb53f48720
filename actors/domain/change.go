package domain

import "encoding/binary"

// ChangeKind says what a change changes.
type ChangeKind uint8

// The changes that applying a record can make. Row and Content are set for the
// first two, Value (a pointer to the type named) for the others.
const (
	RowAdded      ChangeKind = iota + 1 // Row, Content: an action that is new
	RowTaken                            // Row: an action that counts no more; its Flags say why. Content: of a copy its Action
	OneTimePut                          // *OneTime
	MemberPut                           // *Member
	IdentityPut                         // *Identity
	IdentityDrop                        // *Identity
	BitPut                              // *Bit
	ColumnPut                           // *Column
	RequestPut                          // *Request
	OutboxPut                           // *Outgoing
	OutboxTrim                          // *Published
	UsagePut                            // *UsageCount
	PointerPut                          // *Pointer
	PointerDrop                         // *Pointer
	ParkedPut                           // *Parked
	ParkedDrop                          // *Parked: all of its member; Account and Ord are looked at
	VisitPlacePut                       // *NumberedPlace: a place of visits that has got its number
	RowsErased                          // *ErasedRows: nothing of what a member did is left
	RowsCounted                         // *CountedAs: rows that count as another's, or nowhere
	ProgressPut                         // *ProgressChange
	NoticePut                           // *Notice
	MembershipPut                       // *Membership
	FollowedPut                         // *FollowedList; memberships up to Gone are dropped
	FollowedDrop                        // *FollowedList: it and its memberships are dropped
)

// Change is one thing that applying a record changes. The pure cores make them,
// the store writes them, the published view follows them.
type Change struct {
	Kind    ChangeKind
	Row     Row
	Content *Content
	Value   any
}

// Attribute is something members are filtered by. The codes are in the store,
// fixed for ever.
type Attribute uint8

// Attributes kept as bitmaps of ordinals, one per value.
const (
	AttrMember  Attribute = iota + 1 // no value: the member exists for answers
	AttrGender                       // M, F, Other
	AttrService                      // one byte: the service's code
	AttrPaid                         // no value: a service record with PaidAccount 1
	AttrDomain                       // canonical domain
	AttrOptIn                        // OptValue: opted in, and not out since
	AttrOptOut                       // OptValue: opted out, and not in since
	AttrRegion                       // effective region: GeoRegion, else State, in lower case
	AttrListed                       // OptValue of a segment: put on its list by segmentid, and not opted out since
	AttrHas                          // HasValue: the profile has a value in the field
	AttrMuted                        // one byte: the code of a service of which no record shares activities
	AttrLapsed                       // one byte: the code of a service of which there are records, none of them valid
	AttrVoid                         // VoidValue: a signup whose record is not valid or gone, beside a valid one of its service
	AttrLent                         // no value: the member is merged into another, or about to be
)

// OptKind says of what an opt-in is one.
type OptKind byte

// What a member can opt in to. The letters are in the store.
const (
	OptGlobal  OptKind = 'G' // the account's list: id 0
	OptBrand   OptKind = 'B'
	OptSegment OptKind = 'S'
)

// OptValue is the value of AttrOptIn and AttrOptOut.
func OptValue(kind OptKind, id uint32) string {
	return string([]byte{byte(kind), byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
}

// OptOf is what OptValue made a value of; the kind is 0 where it made it of nothing.
func OptOf(value string) (kind OptKind, id uint32) {
	if len(value) != 5 {
		return 0, 0
	}
	return OptKind(value[0]), binary.BigEndian.Uint32([]byte(value[1:]))
}

// HasValue is the value of AttrHas for a field of a profile.
func HasValue(f Field) string { return string([]byte{byte(f)}) }

// VoidValue is the value of AttrVoid for the row of a signup, by the service and the row's sequence,
// which the id of the service record has.
func VoidValue(s Service, record uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{byte(s)}, ActionID(record).Sequence()))
}

// VoidSequence is the sequence in a VoidValue.
func VoidSequence(value string) uint64 { return binary.BigEndian.Uint64([]byte(value[1:])) }

// Attributes kept as columns of u16 by ordinal; 0 is unknown.
const (
	AttrCountry     Attribute = iota + 64 // effective country: alpha-2, first letter in the high byte
	AttrBirthDay                          // BirthDay
	AttrCreatedHigh                       // when the member came to be, in seconds since 1970: the upper half
	AttrCreatedLow
	AttrLoginHigh // when it last logged in; a registration is a login
	AttrLoginLow
	AttrChangedHigh // Member.Changed or, if that is later, HandedOver, in seconds since 1970
	AttrChangedLow
	AttrHandedOverHigh // Member.HandedOver; it stays when the member counts no more
	AttrHandedOverLow
)

// Bit sets or clears a member's bit of an attribute's value.
type Bit struct {
	Account   AccountID
	Ord       Ordinal
	Attribute Attribute
	Value     string
	On        bool
}

// Column sets a member's value of a column.
type Column struct {
	Account   AccountID
	Ord       Ordinal
	Attribute Attribute
	Value     uint16
}

// CountryCode packs an alpha-2 code; 0 for anything else.
func CountryCode(alpha2 string) uint16 {
	if len(alpha2) != 2 {
		return 0
	}
	return uint16(alpha2[0])<<8 | uint16(alpha2[1])
}

// Outgoing is an entry of a shard's outbox: a record for another shard, a dead letter, or
// data keys that are to be deleted. All count by one sequence and are published in its order,
// each kind by a cursor of its own.
type Outgoing struct {
	Sequence uint64
	To       int         // the shard addressed; -1: none
	Forward  *Record     // a record for another shard
	Dead     *DeadLetter // or a dead letter
	Keys     []KeyID     // or data keys to delete
}

// OutboxKind is where entries of the outbox go. The number is part of their keys in the store.
type OutboxKind uint8

// The kinds, each with a cursor of its own.
const (
	OutboxForwards OutboxKind = iota
	OutboxLetters
	OutboxKeys // data keys to delete
	OutboxKinds
)

// Kind is the entry's.
func (o *Outgoing) Kind() OutboxKind {
	switch {
	case o.Dead != nil:
		return OutboxLetters
	case len(o.Keys) > 0:
		return OutboxKeys
	}
	return OutboxForwards
}

// ErasedRows are all actions of a member who is erased. Its one-time pairs go with them.
type ErasedRows struct {
	Account AccountID
	Ord     Ordinal
	Rows    []Row // with the flags that they had
}

// OneKind reports that the entry is of one kind, as every entry is.
func (o *Outgoing) OneKind() bool {
	kinds := 0
	for _, is := range [...]bool{o.Forward != nil, o.Dead != nil, len(o.Keys) > 0} {
		if is {
			kinds++
		}
	}
	return kinds == 1
}

// DeadLetter is a record that could not be applied. The publisher reads its bytes
// at the origin.
type DeadLetter struct {
	Origin  Origin // of a record from a log
	Request RequestID
	Account AccountID
	Reason  Reason
	Detail  string
	Raw     string // what came over HTTP
	At      int64  // ms since 1970: the log's time
}

// UsageCount is a stored count of hits; the greater of two counts.
type UsageCount struct {
	Account AccountID
	Usage
}

// ShardState is what a shard keeps about itself: it is stored with every commit,
// in the commit's batch (I3).
type ShardState struct {
	Cluster string  // id of the Kafka cluster
	Journal TopicID // id of the journal topic
	Next    int64   // offset to read next
	Epoch   int32   // leader epoch of the batch before Next
	Clock   int64   // ms since 1970: the highest LogAppendTime applied
	Rules   uint16  // version of Apply
	Life    int32   // number of AcceptGap of this partition

	Sequence  uint64 // last sequence given to a row or service record
	Outbox    uint64 // last sequence of the outbox
	Published uint64 // forwards up to here are published
	DeadUpTo  uint64 // dead letters up to here are published
	KeysUpTo  uint64 // data keys of entries up to here are deleted
	Rows      uint64 // rows alive, without visits
	Expired   Month  // months before this are dropped
	Dead      [Reasons]uint64

	Handovers []Handover // by shard; changed as a whole

	Facts [16]byte // state hash: sum of the facts' hashes modulo 2^128
}

// Cursors are how far each kind of entries of the outbox is published.
func (s *ShardState) Cursors() [OutboxKinds]uint64 {
	return [OutboxKinds]uint64{OutboxForwards: s.Published, OutboxLetters: s.DeadUpTo, OutboxKeys: s.KeysUpTo}
}
