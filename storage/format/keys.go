package format

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The keys of a node's store, in byte order. Numbers are big-endian, so byte order
// is their order: month u16, shard u16, account u32, brand u32, class u8, slot u16,
// bucket u32, ordinal u32, sequence u64, created u64, member u64, day u32. The large
// families begin with the month: compaction stays in the current one, and giving one up
// is a range deletion.
//
//	0x00 "format"                                        what the store is
//	'C' month shard account brand class slot sequence    content of actions       Merge
//	'R' month shard account brand class slot             columns of actions       Merge
//	'T' shard commit                                     tail: rows not yet in t  Set, DeleteRange
//	'a' shard account attribute chunk                    u16 columns by ordinal   Merge
//	'b' shard account attribute len value chunk          bitmap of ordinals       Merge
//	'c' shard sequence                                   tail: content not in C   Merge, DeleteRange
//	'd' shard account sequence                           notice                  Set
//	'f' shard account ordinal definition brand           one-time pair            Set
//	'g' shard account segment sequence                   membership of a list     Set, DeleteRange
//	'h' shard account segment                            list that is followed    Set, Delete
//	'i' shard hash                                       identity → member        Set, Delete
//	                                                     of a data key: none, kept for ever
//	'k' shard account ordinal number                     parked activity          Set, DeleteRange
//	'm' shard account ordinal                            member                   Set
//	'n' shard account brand                              rows by month and class  Merge
//	'o' shard slot sequence                              member id → place        Set
//	'p' shard hash created member                        pointer: a member        Set, Delete
//	'q' shard kind sequence                              outbox                   Set, DeleteRange
//	's' shard account month                              what of t there is       Set
//	't' month shard account class bucket                 timelines of members     Merge
//	'u' shard application hour incarnation               hits                     Merge
//	'v' shard account number                             place of visits          Set
//	'w' shard webhook 'h'                                progress of a webhook    Set, DeleteRange
//	'w' shard webhook 'l' number                         message that was taken   Set, DeleteRange
//	'w' shard webhook 'p' sequence kind                  pending event or message Set, Delete, DeleteRange
//	'w' shard webhook 'x' time sequence kind             message given up         Set, DeleteRange
//	'x' shard day request                                request id → outcome     Set, DeleteRange
//	'z' shard 'm' offset                                 state hash of a prefix   Set
//	'z' shard 'o' topic partition                        applied origin           Set, when the state has no room for it
//	'z' shard 's'                                        the shard's state        Set
//
// The keys of the catalog's store:
//
//	0x00 "format"
//	'e' kind id                                          entity                   Set
//	'x' day request                                      request id → outcome     Set, DeleteRange
//	'z'                                                  the catalog's state      Set
const (
	familyFormat      = 0x00
	FamilyContent     = 'C'
	FamilyRows        = 'R'
	FamilyTail        = 'T'
	FamilyColumn      = 'a'
	FamilyBits        = 'b'
	FamilyTailContent = 'c'
	FamilyNotice      = 'd'
	FamilyOneTime     = 'f'
	FamilyEntity      = 'e'
	FamilyMembership  = 'g'
	FamilyFollowed    = 'h'
	FamilyIdentity    = 'i'
	FamilyParked      = 'k'
	FamilyMember      = 'm'
	FamilyCounts      = 'n'
	FamilyPlace       = 'o'
	FamilyPointer     = 'p'
	FamilyOutbox      = 'q'
	FamilySealed      = 's'
	FamilyTimeline    = 't'
	FamilyUsage       = 'u'
	FamilyVisitPlace  = 'v'
	FamilyWebhook     = 'w'
	FamilyRequest     = 'x'
	FamilyState       = 'z'
)

// Families are those of a node's store.
const Families = "CRTabcdfghikmnopqstuvwxz"

// Monthly reports that the keys of a family begin with the month, followed by the shard.
func Monthly(family byte) bool {
	return family == FamilyContent || family == FamilyRows || family == FamilyTimeline
}

// Parts of z.
const (
	stateMark   = 'm'
	stateOrigin = 'o'
	StateShard  = 's'
)

var be = binary.BigEndian

// FormatKey has the name of the format.
var FormatKey = []byte{familyFormat, 'f', 'o', 'r', 'm', 'a', 't'}

// BrandMonth is what a group of row keys has in common beside the shard.
type BrandMonth struct {
	Account domain.AccountID
	Brand   domain.BrandID
	Month   domain.Month
}

// AccountMonth is what a group of timeline keys has in common beside the shard.
type AccountMonth struct {
	Account domain.AccountID
	Month   domain.Month
}

// RowKeyLen is the length of a key of R.
const RowKeyLen = 1 + 2 + 2 + 4 + 4 + 1 + 2

// AppendRowKey is a key of R, or what the keys of a slot of C begin with.
func AppendRowKey(dst []byte, family byte, shard uint16, k BrandMonth, class uint8, slot uint16) []byte {
	dst = be.AppendUint16(append(dst, family), uint16(k.Month))
	dst = be.AppendUint32(be.AppendUint16(dst, shard), uint32(k.Account))
	dst = append(be.AppendUint32(dst, uint32(k.Brand)), class)
	return be.AppendUint16(dst, slot)
}

// AppendContentKey is the key of a block of contents: its first sequence.
func AppendContentKey(dst []byte, p SlotKey, sequence uint64) []byte {
	return be.AppendUint64(AppendRowKey(dst, FamilyContent, p.Shard, p.Of, p.Class, p.Slot), sequence)
}

// AppendBlockBound is the key that follows that of the block which may have a sequence, of
// those that begin with prefix.
func AppendBlockBound(dst, prefix []byte, sequence uint64) []byte {
	return be.AppendUint64(append(dst, prefix...), sequence+1)
}

// ParseRowKey reads a key of R, or what precedes the sequence in one of C.
func ParseRowKey(k []byte) (p SlotKey, err error) {
	if len(k) > 0 && k[0] == FamilyContent && len(k) == RowKeyLen+8 {
		k = k[:RowKeyLen]
	}
	if len(k) != RowKeyLen || k[13] >= Classes {
		return p, Damaged("key")
	}
	of := BrandMonth{domain.AccountID(be.Uint32(k[5:])), domain.BrandID(be.Uint32(k[9:])), domain.Month(be.Uint16(k[1:]))}
	return SlotKey{be.Uint16(k[3:]), of, k[13], be.Uint16(k[14:])}, nil
}

// AppendTailKey is the key of the rows of a commit.
func AppendTailKey(dst []byte, shard uint16, commit uint64) []byte {
	return be.AppendUint64(AppendShard(dst, FamilyTail, shard), commit)
}

// ParseTailKey reads a key of T.
func ParseTailKey(k []byte) (commit uint64, err error) {
	if len(k) != 11 {
		return 0, Damaged("T")
	}
	return be.Uint64(k[3:]), nil
}

// AppendTailContentKey is the key of a block of a commit's contents: its first sequence.
func AppendTailContentKey(dst []byte, shard uint16, sequence uint64) []byte {
	return be.AppendUint64(AppendShard(dst, FamilyTailContent, shard), sequence)
}

// AppendTimelineKey puts members on buckets by the low bits of the ordinal: early
// members are the busy ones, and so spread.
func AppendTimelineKey(dst []byte, shard uint16, k AccountMonth, class uint8, bucket uint32) []byte {
	dst = be.AppendUint16(append(dst, FamilyTimeline), uint16(k.Month))
	dst = be.AppendUint32(be.AppendUint16(dst, shard), uint32(k.Account))
	return be.AppendUint32(append(dst, class), bucket)
}

const timelineKeyLen = 1 + 2 + 2 + 4 + 1 + 4

// ParseTimelineKey reads the account's month and the class of a key of t.
func ParseTimelineKey(k []byte) (g AccountMonth, class uint8, err error) {
	if len(k) != timelineKeyLen {
		return g, 0, Damaged("key")
	}
	return AccountMonth{domain.AccountID(be.Uint32(k[5:])), domain.Month(be.Uint16(k[1:]))}, k[9], nil
}

// TimelinePrefix begins the keys of t of an account's month.
func TimelinePrefix(shard uint16, k AccountMonth) []byte {
	key := AppendTimelineKey(nil, shard, k, 0, 0)
	return key[:len(key)-5]
}

// AppendSealedKey is the key of what t has of an account's month.
func AppendSealedKey(dst []byte, shard uint16, k AccountMonth) []byte {
	return be.AppendUint16(be.AppendUint32(AppendShard(dst, FamilySealed, shard), uint32(k.Account)), uint16(k.Month))
}

// AppendCountKey is the key of the row counts of a brand.
func AppendCountKey(dst []byte, shard uint16, account domain.AccountID, brand domain.BrandID) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(dst, FamilyCounts, shard), uint32(account)), uint32(brand))
}

// AppendMemberKey is the key of a member's record.
func AppendMemberKey(dst []byte, shard uint16, account domain.AccountID, ord domain.Ordinal) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(dst, FamilyMember, shard), uint32(account)), uint32(ord))
}

// ParseMemberKey reads a key of m.
func ParseMemberKey(k []byte) (account domain.AccountID, ord domain.Ordinal, err error) {
	if len(k) != 11 {
		return 0, 0, Damaged("m")
	}
	return domain.AccountID(be.Uint32(k[3:])), domain.Ordinal(be.Uint32(k[7:])), nil
}

// ParkedPrefix begins the keys of what a member has parked.
func ParkedPrefix(shard uint16, account domain.AccountID, ord domain.Ordinal) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(nil, FamilyParked, shard), uint32(account)), uint32(ord))
}

const parkedKeyLen = 1 + 2 + 4 + 4 + 4

// AppendParkedKey is the key of a parked activity.
func AppendParkedKey(dst []byte, shard uint16, p *domain.Parked) []byte {
	dst = be.AppendUint32(be.AppendUint32(AppendShard(dst, FamilyParked, shard), uint32(p.Account)), uint32(p.Ord))
	return be.AppendUint32(dst, p.Number)
}

// AppendPlaceKey has the slot before the sequence: the last member of a slot is one
// seek.
func AppendPlaceKey(dst []byte, shard uint16, id domain.MemberID) []byte {
	return be.AppendUint64(be.AppendUint16(AppendShard(dst, FamilyPlace, shard), uint16(id.Slot())), id.Sequence())
}

// AppendOneTimeKey is the key of a one-time pair.
func AppendOneTimeKey(
	dst []byte, shard uint16, account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID,
	brand domain.BrandID,
) []byte {
	dst = AppendOneTimePrefix(dst, shard, account, ord)
	return be.AppendUint32(be.AppendUint32(dst, uint32(definition)), uint32(brand))
}

// AppendOneTimePrefix is what the keys of a member's pairs begin with.
func AppendOneTimePrefix(dst []byte, shard uint16, account domain.AccountID, ord domain.Ordinal) []byte {
	return be.AppendUint32(be.AppendUint32(AppendShard(dst, FamilyOneTime, shard), uint32(account)), uint32(ord))
}

// ParseOneTimeKey is the pair of a key.
func ParseOneTimeKey(k []byte) (o domain.OneTime, err error) {
	if len(k) != 19 {
		return o, Damaged("f")
	}
	o.Account, o.Ord = domain.AccountID(be.Uint32(k[3:])), domain.Ordinal(be.Uint32(k[7:]))
	o.Definition, o.Brand = domain.DefinitionID(be.Uint32(k[11:])), domain.BrandID(be.Uint32(k[15:]))
	return o, nil
}

// AppendIdentityKey needs no account: it is part of the hash.
func AppendIdentityKey(dst []byte, shard uint16, hash domain.IdentityHash) []byte {
	return append(AppendShard(dst, FamilyIdentity, shard), hash[:]...)
}

// AppendPointerKey has the time before the member: the earliest of a hash is one seek.
func AppendPointerKey(dst []byte, shard uint16, p *domain.Pointer) []byte {
	dst = append(AppendShard(dst, FamilyPointer, shard), p.Hash[:]...)
	return be.AppendUint64(be.AppendUint64(dst, uint64(p.Created)), uint64(p.Member))
}

// AppendBitsKey fails on a value of more than 255 bytes by ok.
func AppendBitsKey(
	dst []byte, shard uint16, account domain.AccountID, attribute domain.Attribute, value string, chunk uint16,
) (_ []byte, ok bool) {
	if len(value) > 255 {
		return dst, false
	}
	dst = be.AppendUint32(AppendShard(dst, FamilyBits, shard), uint32(account))
	dst = append(append(dst, byte(attribute), byte(len(value))), value...)
	return be.AppendUint16(dst, chunk), true
}

// ParseBitsKey reads a key of b; value is the key's memory.
func ParseBitsKey(k []byte) (
	account domain.AccountID, attribute domain.Attribute, value []byte, first domain.Ordinal, err error,
) {
	if len(k) < 11 || len(k) != 11+int(k[8]) {
		return 0, 0, nil, 0, Damaged("b")
	}
	first = domain.Ordinal(be.Uint16(k[len(k)-2:])) << 16
	return domain.AccountID(be.Uint32(k[3:])), domain.Attribute(k[7]), k[9 : len(k)-2], first, nil
}

// AppendColumnKey is the key of a chunk of a column.
func AppendColumnKey(
	dst []byte, shard uint16, account domain.AccountID, attribute domain.Attribute, chunk uint32,
) []byte {
	dst = be.AppendUint32(AppendShard(dst, FamilyColumn, shard), uint32(account))
	return be.AppendUint32(append(dst, byte(attribute)), chunk)
}

// ParseColumnKey reads a key of a; first is the ordinal of its first value.
func ParseColumnKey(k []byte) (account domain.AccountID, attribute domain.Attribute, first domain.Ordinal, err error) {
	if len(k) != 12 {
		return 0, 0, 0, Damaged("a")
	}
	return domain.AccountID(be.Uint32(k[3:])), domain.Attribute(k[7]), domain.Ordinal(be.Uint32(k[8:])) * ColumnChunk, nil
}

// AppendUsageKey is the key of a count of hits.
func AppendUsageKey(dst []byte, shard uint16, u domain.Usage) []byte {
	dst = be.AppendUint32(AppendShard(dst, FamilyUsage, shard), uint32(u.Application))
	return be.AppendUint64(be.AppendUint32(dst, u.Hour), u.Incarnation)
}

// AppendRequestKey is the key of a request.
func AppendRequestKey(dst []byte, shard uint16, day uint32, id domain.RequestID) []byte {
	return append(be.AppendUint32(AppendShard(dst, FamilyRequest, shard), day), id[:]...)
}

// RequestDay begins the keys of a day's requests.
func RequestDay(shard uint16, day uint32) []byte {
	return be.AppendUint32(AppendShard(nil, FamilyRequest, shard), day)
}

// AppendOutboxKey is the key of an outbox entry.
func AppendOutboxKey(dst []byte, shard uint16, kind domain.OutboxKind, sequence uint64) []byte {
	return be.AppendUint64(append(AppendShard(dst, FamilyOutbox, shard), byte(kind)), sequence)
}

// AppendStateKey is the key of the shard's state.
func AppendStateKey(dst []byte, shard uint16) []byte {
	return append(AppendShard(dst, FamilyState, shard), StateShard)
}

// AppendOriginKey is the key of the origin applied of a source partition.
func AppendOriginKey(dst []byte, shard uint16, topic domain.TopicID, partition int32) []byte {
	dst = append(append(AppendShard(dst, FamilyState, shard), stateOrigin), topic[:]...)
	return be.AppendUint32(dst, uint32(partition))
}

// AppendStateMarkKey is the key of the state hash of the records below an offset.
func AppendStateMarkKey(dst []byte, shard uint16, at int64) []byte {
	return be.AppendUint64(append(AppendShard(dst, FamilyState, shard), stateMark), uint64(at))
}

const stateMarkKeyLen = 1 + 2 + 1 + 8

// StateMarkPrefix begins the keys of a shard's state marks.
func StateMarkPrefix(shard uint16) []byte {
	return append(AppendShard(nil, FamilyState, shard), stateMark)
}

// OriginPrefix begins the keys of applied origins.
func OriginPrefix(shard uint16) []byte {
	return append(AppendShard(nil, FamilyState, shard), stateOrigin)
}

// OutboxPrefix begins the keys of a part of the outbox.
func OutboxPrefix(shard uint16, kind domain.OutboxKind) []byte {
	return append(AppendShard(nil, FamilyOutbox, shard), byte(kind))
}

// PointerPrefix begins the keys of what points from a hash, the earliest first.
func PointerPrefix(shard uint16, hash domain.IdentityHash) []byte {
	return append(AppendShard(nil, FamilyPointer, shard), hash[:]...)
}

// AppendShard begins a key of a family that has the shard first.
func AppendShard(dst []byte, family byte, shard uint16) []byte {
	return be.AppendUint16(append(dst, family), shard)
}

// AppendMonth begins a key of a family that has the month first.
func AppendMonth(dst []byte, family byte, month, shard uint16) []byte {
	return be.AppendUint16(be.AppendUint16(append(dst, family), month), shard)
}

// ParseMonth reads how a key of a family begins that has the month first.
func ParseMonth(k []byte) (month, shard uint16, err error) {
	if len(k) < 5 {
		return 0, 0, Damaged("key")
	}
	return be.Uint16(k[1:]), be.Uint16(k[3:]), nil
}

// PrefixEnd is the first key after all that begin with prefix.
func PrefixEnd(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
