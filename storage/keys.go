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

// Width classes: how much time a key of R or C spans. A month that holds more rows
// of a brand is written under finer keys; what is there stays where it is.
const (
	classMonth = 0
	classDay   = 1
	classHour  = 2
	classes    = 3

	dayClassFrom  = 4 << 10
	hourClassFrom = 128 << 10
)

// widths says from how many rows of a month on the finer classes are used.
type widths struct{ day, hour uint64 }

// class is the width class for a brand's month that holds so many rows.
func (w widths) class(held uint64) uint8 {
	switch {
	case held < w.day:
		return classMonth
	case held < w.hour:
		return classDay
	}
	return classHour
}

// slotOf is the slot of a time in a month that starts at start.
func slotOf(class uint8, start, t domain.Second) uint16 {
	switch class {
	case classDay:
		return uint16((t - start) / 86400)
	case classHour:
		return uint16((t - start) / 3600)
	}
	return 0
}

// slotsOf is the first and the last slot of a month that a range touches, which it does.
func slotsOf(class uint8, month domain.Month, r domain.Range) (first, last uint16) {
	start := month.Start()
	first, last = slotOf(class, start, max(r.From, start)), 1<<16-1
	if domain.MonthOf(r.To-1) == month {
		last = slotOf(class, start, r.To-1)
	}
	return first, last
}

// spanOf is the times whose slot in a month that is.
func spanOf(class uint8, month domain.Month, slot uint16) domain.Range {
	start := month.Start()
	var width domain.Second
	switch class {
	case classDay:
		width = 86400
	case classHour:
		width = 3600
	default:
		return domain.Range{From: start, To: (month + 1).Start()}
	}
	start += domain.Second(slot) * width
	return domain.Range{From: start, To: start + width}
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

// parseRowKey reads a key of R, or what stands before the sequence in one of C; ok is
// false where it is none.
func parseRowKey(k []byte) (shard uint16, g brandMonth, class uint8, slot uint16, ok bool) {
	if len(k) > 0 && k[0] == familyContent && len(k) == rowKeyLen+8 {
		k = k[:rowKeyLen]
	}
	if len(k) != rowKeyLen {
		return 0, brandMonth{}, 0, 0, false
	}
	g = brandMonth{domain.AccountID(be.Uint32(k[5:])), domain.BrandID(be.Uint32(k[9:])), domain.Month(be.Uint16(k[1:]))}
	return be.Uint16(k[3:]), g, k[13], be.Uint16(k[14:]), true
}

func appendTailKey(dst []byte, shard uint16, commit uint64) []byte {
	return be.AppendUint64(appendShard(dst, familyTail, shard), commit)
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

func parseLineKey(k []byte) (g accountMonth, class uint8, bucket uint32, ok bool) {
	if len(k) != lineKeyLen {
		return accountMonth{}, 0, 0, false
	}
	return accountMonth{domain.AccountID(be.Uint32(k[5:])), domain.Month(be.Uint16(k[1:]))}, k[9], be.Uint32(k[10:]), true
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

// appendClaimKey needs no account: it is part of the hash.
func appendClaimKey(dst []byte, shard uint16, hash domain.IdentityHash) []byte {
	return append(appendShard(dst, familyClaim, shard), hash[:]...)
}

// appendPointerKey has the time before the member: the earliest of a hash is one seek.
func appendPointerKey(dst []byte, shard uint16, p *domain.Pointer) []byte {
	dst = append(appendShard(dst, familyPointer, shard), p.Hash[:]...)
	return be.AppendUint64(be.AppendUint64(dst, uint64(p.Created)), uint64(p.Member))
}

const pointerKeyLen = 1 + 2 + 16 + 8 + 8

func parsePointerKey(k []byte) (p domain.Pointer, ok bool) {
	if len(k) != pointerKeyLen {
		return p, false
	}
	return domain.Pointer{
		Hash: domain.IdentityHash(k[3:19]), Created: int64(be.Uint64(k[19:])), Member: domain.MemberID(be.Uint64(k[27:])),
	}, true
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

func appendColumnKey(dst []byte, shard uint16, account domain.AccountID, attribute domain.Attribute, chunk uint32) []byte {
	dst = be.AppendUint32(appendShard(dst, familyColumn, shard), uint32(account))
	return be.AppendUint32(append(dst, byte(attribute)), chunk)
}

func appendUsageKey(dst []byte, shard uint16, u domain.Usage) []byte {
	dst = be.AppendUint32(appendShard(dst, familyUsage, shard), uint32(u.Application))
	return be.AppendUint64(be.AppendUint32(dst, u.Hour), u.Incarnation)
}

func appendRequestKey(dst []byte, shard uint16, day uint32, id domain.RequestID) []byte {
	return append(be.AppendUint32(appendShard(dst, familyRequest, shard), day), id[:]...)
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

// appendShard begins a key of a family that has the shard first.
func appendShard(dst []byte, family byte, shard uint16) []byte {
	return be.AppendUint16(append(dst, family), shard)
}

// appendMonth begins a key of a family that has the month first.
func appendMonth(dst []byte, family byte, month, shard uint16) []byte {
	return be.AppendUint16(be.AppendUint16(append(dst, family), month), shard)
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
