package storage

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
//	'f' shard account ordinal definition brand           one-time pair            Set
//	'i' shard hash                                       identity → member        Set, Delete
//	'k' shard account ordinal number                     parked activity          Set, DeleteRange
//	'm' shard account ordinal                            member                   Set
//	'n' shard account brand                              rows by month and class  Merge
//	'o' shard slot sequence                              member id → place        Set
//	'p' shard hash created member                        pointer: a member        Set, Delete
//	'q' shard kind sequence                              outbox                   Set, DeleteRange
//	's' shard account month                              what of t there is       Set
//	't' month shard account class bucket                 timelines of members     Merge
//	'u' shard application hour incarnation               hits                     Merge
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
	familyFormat  = 0x00
	familyContent = 'C'
	familyRows    = 'R'
	familyTail    = 'T'
	familyColumn  = 'a'
	familyBits    = 'b'
	familyText    = 'c'
	familyOneTime = 'f'
	familyEntity  = 'e'
	familyClaim   = 'i'
	familyParked  = 'k'
	familyMember  = 'm'
	familyCount   = 'n'
	familyPlace   = 'o'
	familyPointer = 'p'
	familyOutbox  = 'q'
	familySealed  = 's'
	familyLine    = 't'
	familyUsage   = 'u'
	familyRequest = 'x'
	familyState   = 'z'
)

// families are those of a node's store.
const families = "CRTabcfikmnopqstuxz"

// monthly reports that the keys of a family begin with the month, and the shard behind it.
func monthly(family byte) bool {
	return family == familyContent || family == familyRows || family == familyLine
}

// Parts of the outbox: forwards and dead letters are trimmed by cursors of their own.
const (
	outboxForward = 0
	outboxDead    = 1
)

const (
	stateMark   = 'm'
	stateOrigin = 'o'
	stateShard  = 's'
)

var be = binary.BigEndian

var formatKey = []byte{familyFormat, 'f', 'o', 'r', 'm', 'a', 't'}

// brandMonth is what a group of row keys has in common beside the shard.
type brandMonth struct {
	account domain.AccountID
	brand   domain.BrandID
	month   domain.Month
}

// accountMonth is what a group of timeline keys has in common beside the shard.
type accountMonth struct {
	account domain.AccountID
	month   domain.Month
}

const rowKeyLen = 1 + 2 + 2 + 4 + 4 + 1 + 2

// appendRowKey is a key of R, or what the keys of a slot of C begin with.
func appendRowKey(dst []byte, family byte, shard uint16, k brandMonth, class uint8, slot uint16) []byte {
	dst = be.AppendUint16(append(dst, family), uint16(k.month))
	dst = be.AppendUint32(be.AppendUint16(dst, shard), uint32(k.account))
	dst = append(be.AppendUint32(dst, uint32(k.brand)), class)
	return be.AppendUint16(dst, slot)
}

// appendContentKey is the key of a block of contents: its first sequence.
func appendContentKey(dst []byte, p page, sequence uint64) []byte {
	return be.AppendUint64(appendRowKey(dst, familyContent, p.shard, p.of, p.class, p.slot), sequence)
}

// parseRowKey reads a key of R, or what precedes the sequence in one of C.
func parseRowKey(k []byte) (p page, err error) {
	if len(k) > 0 && k[0] == familyContent && len(k) == rowKeyLen+8 {
		k = k[:rowKeyLen]
	}
	if len(k) != rowKeyLen || k[13] >= classes {
		return p, damaged("key")
	}
	of := brandMonth{domain.AccountID(be.Uint32(k[5:])), domain.BrandID(be.Uint32(k[9:])), domain.Month(be.Uint16(k[1:]))}
	return page{be.Uint16(k[3:]), of, k[13], be.Uint16(k[14:])}, nil
}

func appendTailKey(dst []byte, shard uint16, commit uint64) []byte {
	return be.AppendUint64(appendShard(dst, familyTail, shard), commit)
}

func parseTailKey(k []byte) (commit uint64, err error) {
	if len(k) != 11 {
		return 0, damaged("T")
	}
	return be.Uint64(k[3:]), nil
}

// appendTextKey is the key of a block of a commit's contents: its first sequence.
func appendTextKey(dst []byte, shard uint16, sequence uint64) []byte {
	return be.AppendUint64(appendShard(dst, familyText, shard), sequence)
}

// appendLineKey puts members on buckets by the low bits of the ordinal: early
// members are the busy ones, and so spread.
func appendLineKey(dst []byte, shard uint16, k accountMonth, class uint8, bucket uint32) []byte {
	dst = be.AppendUint16(append(dst, familyLine), uint16(k.month))
	dst = be.AppendUint32(be.AppendUint16(dst, shard), uint32(k.account))
	return be.AppendUint32(append(dst, class), bucket)
}

const lineKeyLen = 1 + 2 + 2 + 4 + 1 + 4

func parseLineKey(k []byte) (g accountMonth, class uint8, err error) {
	if len(k) != lineKeyLen {
		return g, 0, damaged("key")
	}
	return accountMonth{domain.AccountID(be.Uint32(k[5:])), domain.Month(be.Uint16(k[1:]))}, k[9], nil
}

// linePrefix begins the keys of t of an account's month.
func linePrefix(shard uint16, k accountMonth) []byte {
	key := appendLineKey(nil, shard, k, 0, 0)
	return key[:len(key)-5]
}

func appendSealedKey(dst []byte, shard uint16, k accountMonth) []byte {
	return be.AppendUint16(be.AppendUint32(appendShard(dst, familySealed, shard), uint32(k.account)), uint16(k.month))
}

func appendCountKey(dst []byte, shard uint16, account domain.AccountID, brand domain.BrandID) []byte {
	return be.AppendUint32(be.AppendUint32(appendShard(dst, familyCount, shard), uint32(account)), uint32(brand))
}

func appendMemberKey(dst []byte, shard uint16, account domain.AccountID, ord domain.Ordinal) []byte {
	return be.AppendUint32(be.AppendUint32(appendShard(dst, familyMember, shard), uint32(account)), uint32(ord))
}

func parseMemberKey(k []byte) (account domain.AccountID, ord domain.Ordinal, err error) {
	if len(k) != 11 {
		return 0, 0, damaged("m")
	}
	return domain.AccountID(be.Uint32(k[3:])), domain.Ordinal(be.Uint32(k[7:])), nil
}

// parkedPrefix begins the keys of what a member has parked.
func parkedPrefix(shard uint16, account domain.AccountID, ord domain.Ordinal) []byte {
	return be.AppendUint32(be.AppendUint32(appendShard(nil, familyParked, shard), uint32(account)), uint32(ord))
}

const parkedKeyLen = 1 + 2 + 4 + 4 + 4

func appendParkedKey(dst []byte, shard uint16, p *domain.Parked) []byte {
	dst = be.AppendUint32(be.AppendUint32(appendShard(dst, familyParked, shard), uint32(p.Account)), uint32(p.Ord))
	return be.AppendUint32(dst, p.Number)
}

// appendPlaceKey has the slot before the sequence: the last member of a slot is one
// seek.
func appendPlaceKey(dst []byte, shard uint16, id domain.MemberID) []byte {
	return be.AppendUint64(be.AppendUint16(appendShard(dst, familyPlace, shard), uint16(id.Slot())), id.Sequence())
}

func appendOneTimeKey(dst []byte, shard uint16, account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID) []byte {
	dst = be.AppendUint32(be.AppendUint32(appendShard(dst, familyOneTime, shard), uint32(account)), uint32(ord))
	return be.AppendUint32(be.AppendUint32(dst, uint32(definition)), uint32(brand))
}

// parseOneTimeKey is the pair of a key.
func parseOneTimeKey(k []byte) (o domain.OneTime, err error) {
	if len(k) != 19 {
		return o, damaged("f")
	}
	o.Account, o.Ord = domain.AccountID(be.Uint32(k[3:])), domain.Ordinal(be.Uint32(k[7:]))
	o.Definition, o.Brand = domain.DefinitionID(be.Uint32(k[11:])), domain.BrandID(be.Uint32(k[15:]))
	return o, nil
}

// appendClaimKey needs no account: it is part of the hash.
func appendClaimKey(dst []byte, shard uint16, hash domain.IdentityHash) []byte {
	return append(appendShard(dst, familyClaim, shard), hash[:]...)
}

// appendPointerKey has the time before the member: the earliest of a hash is one seek.
func appendPointerKey(dst []byte, shard uint16, p *domain.Pointer) []byte {
	dst = append(appendShard(dst, familyPointer, shard), p.Hash[:]...)
	return be.AppendUint64(be.AppendUint64(dst, uint64(p.Created)), uint64(p.Member))
}

// appendBitsKey fails on a value of more than 255 bytes by ok.
func appendBitsKey(dst []byte, shard uint16, account domain.AccountID, attribute domain.Attribute, value string, chunk uint16) (_ []byte, ok bool) {
	if len(value) > 255 {
		return dst, false
	}
	dst = be.AppendUint32(appendShard(dst, familyBits, shard), uint32(account))
	dst = append(append(dst, byte(attribute), byte(len(value))), value...)
	return be.AppendUint16(dst, chunk), true
}

// parseBitsKey reads a key of b; value is the key's memory.
func parseBitsKey(k []byte) (account domain.AccountID, attribute domain.Attribute, value []byte, first domain.Ordinal, err error) {
	if len(k) < 11 || len(k) != 11+int(k[8]) {
		return 0, 0, nil, 0, damaged("b")
	}
	first = domain.Ordinal(be.Uint16(k[len(k)-2:])) << 16
	return domain.AccountID(be.Uint32(k[3:])), domain.Attribute(k[7]), k[9 : len(k)-2], first, nil
}

func appendColumnKey(dst []byte, shard uint16, account domain.AccountID, attribute domain.Attribute, chunk uint32) []byte {
	dst = be.AppendUint32(appendShard(dst, familyColumn, shard), uint32(account))
	return be.AppendUint32(append(dst, byte(attribute)), chunk)
}

func parseColumnKey(k []byte) (account domain.AccountID, attribute domain.Attribute, first domain.Ordinal, err error) {
	if len(k) != 12 {
		return 0, 0, 0, damaged("a")
	}
	return domain.AccountID(be.Uint32(k[3:])), domain.Attribute(k[7]), domain.Ordinal(be.Uint32(k[8:])) * columnChunk, nil
}

func appendUsageKey(dst []byte, shard uint16, u domain.Usage) []byte {
	dst = be.AppendUint32(appendShard(dst, familyUsage, shard), uint32(u.Application))
	return be.AppendUint64(be.AppendUint32(dst, u.Hour), u.Incarnation)
}

func appendRequestKey(dst []byte, shard uint16, day uint32, id domain.RequestID) []byte {
	return append(be.AppendUint32(appendShard(dst, familyRequest, shard), day), id[:]...)
}

// requestDay begins the keys of a day's requests.
func requestDay(shard uint16, day uint32) []byte {
	return be.AppendUint32(appendShard(nil, familyRequest, shard), day)
}

func appendOutboxKey(dst []byte, shard uint16, kind byte, sequence uint64) []byte {
	return be.AppendUint64(append(appendShard(dst, familyOutbox, shard), kind), sequence)
}

func appendStateKey(dst []byte, shard uint16) []byte {
	return append(appendShard(dst, familyState, shard), stateShard)
}

func appendOriginKey(dst []byte, shard uint16, topic domain.TopicID, partition int32) []byte {
	dst = append(append(appendShard(dst, familyState, shard), stateOrigin), topic[:]...)
	return be.AppendUint32(dst, uint32(partition))
}

// appendMarkKey is the key of the state hash of the records below an offset.
func appendMarkKey(dst []byte, shard uint16, at int64) []byte {
	return be.AppendUint64(append(appendShard(dst, familyState, shard), stateMark), uint64(at))
}

const markKeyLen = 1 + 2 + 1 + 8

// markPrefix begins the keys of a shard's state marks.
func markPrefix(shard uint16) []byte { return append(appendShard(nil, familyState, shard), stateMark) }

// originPrefix begins the keys of applied origins.
func originPrefix(shard uint16) []byte {
	return append(appendShard(nil, familyState, shard), stateOrigin)
}

// outboxPrefix begins the keys of a part of the outbox.
func outboxPrefix(shard uint16, kind byte) []byte {
	return append(appendShard(nil, familyOutbox, shard), kind)
}

// pointerPrefix begins the keys of what points from a hash, the earliest first.
func pointerPrefix(shard uint16, hash domain.IdentityHash) []byte {
	return append(appendShard(nil, familyPointer, shard), hash[:]...)
}

// appendShard begins a key of a family that has the shard first.
func appendShard(dst []byte, family byte, shard uint16) []byte {
	return be.AppendUint16(append(dst, family), shard)
}

// appendMonth begins a key of a family that has the month first.
func appendMonth(dst []byte, family byte, month, shard uint16) []byte {
	return be.AppendUint16(be.AppendUint16(append(dst, family), month), shard)
}

// parseMonth reads how a key of a family begins that has the month first.
func parseMonth(k []byte) (month, shard uint16, err error) {
	if len(k) < 5 {
		return 0, 0, damaged("key")
	}
	return be.Uint16(k[1:]), be.Uint16(k[3:]), nil
}

// after is the first key behind all that begin with prefix.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}
