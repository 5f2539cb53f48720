package log

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// A record batch of magic 2, as producers send and consumers fetch it:
//
//	 0 base offset i64 │  8 length of what follows i32 │ 12 leader epoch i32 │ 16 magic i8 │ 17 CRC-32C u32
//	21 attributes i16  │ 23 last offset delta i32      │ 27 first time i64   │ 35 max time i64
//	43 producer i64    │ 51 producer epoch i16         │ 53 first sequence i32 │ 57 records i32 │ 61 records…
//
// The CRC is over all from 21 on: offset and leader epoch are patched without it.
const (
	atLength   = 8
	atEpoch    = 12
	atMagic    = 16
	atCRC      = 17
	atAttrs    = 21
	atLast     = 23
	atFirst    = 27
	atMax      = 35
	atProducer = 43
	atProdEp   = 51
	atSequence = 53
	atCount    = 57
	atRecords  = 61
)

// Attributes of a batch.
const (
	attrCodec         = 0x07
	attrLogAppendTime = 0x08
	attrTransactional = 0x10
	attrControl       = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is what the log needs of a batch.
type header struct {
	attrs    uint16
	count    int32
	first    int64 // time of the first record, ms
	max      int64 // time of the latest record, ms
	producer int64 // -1: none
	epoch    int16
	sequence int32
}

// parseHeader reads a batch's header and checks all that is in it.
func parseHeader(b []byte) (h header, err error) {
	be := binary.BigEndian
	if len(b) < atRecords {
		if len(b) > atMagic && b[atMagic] < 2 {
			return h, UnsupportedFormat
		}
		return h, fmt.Errorf("%w: no record batch", InvalidRecord)
	}
	if b[atMagic] != 2 {
		return h, fmt.Errorf("%w: magic %d", UnsupportedFormat, b[atMagic])
	}
	if size := int64(int32(be.Uint32(b[atLength:]))) + atEpoch; size != int64(len(b)) {
		if size >= atRecords && size < int64(len(b)) {
			return h, fmt.Errorf("%w: more than one batch", InvalidRecord)
		}
		return h, fmt.Errorf("%w: length", CorruptMessage)
	}
	if be.Uint32(b[atCRC:]) != crc32.Checksum(b[atAttrs:], castagnoli) {
		return h, fmt.Errorf("%w: checksum", CorruptMessage)
	}
	h = header{
		attrs: be.Uint16(b[atAttrs:]), count: int32(be.Uint32(b[atCount:])),
		first: int64(be.Uint64(b[atFirst:])), max: int64(be.Uint64(b[atMax:])),
		producer: int64(be.Uint64(b[atProducer:])), epoch: int16(be.Uint16(b[atProdEp:])), sequence: int32(be.Uint32(b[atSequence:])),
	}
	switch last := int32(be.Uint32(b[atLast:])); {
	case h.attrs&attrControl != 0:
		return h, fmt.Errorf("%w: control batch", InvalidRecord)
	case h.attrs&attrTransactional != 0:
		return h, InvalidTxnState
	case h.count < 1 || last != h.count-1:
		return h, fmt.Errorf("%w: %d records up to delta %d", InvalidRecord, h.count, last)
	case h.producer >= 0 && (h.epoch < 0 || h.sequence < 0):
		return h, fmt.Errorf("%w: producer without epoch or sequence", InvalidRecord)
	}
	return h, nil
}

// setTime makes ms the batch's max time, with or without the bit that makes it the
// time of every record, and the CRC anew.
func setTime(b []byte, ms int64, forAll bool) {
	attrs := binary.BigEndian.Uint16(b[atAttrs:])
	if forAll {
		attrs |= attrLogAppendTime
	}
	binary.BigEndian.PutUint16(b[atAttrs:], attrs)
	binary.BigEndian.PutUint64(b[atMax:], uint64(ms))
	binary.BigEndian.PutUint32(b[atCRC:], crc32.Checksum(b[atAttrs:], castagnoli))
}

// place gives the batch its offset and epoch.
func place(b []byte, base int64, epoch int32) {
	binary.BigEndian.PutUint64(b, uint64(base))
	binary.BigEndian.PutUint32(b[atEpoch:], uint32(epoch))
}

// block is a stored batch: what the key and the value say.
type block struct {
	base   int64
	next   int64 // base of the batch after it
	newest int64
	batch  []byte
}

// decodeBlock reads a block; the records in it are not looked at.
func decodeBlock(key, value []byte) (k block, err error) {
	if len(key) != partKeyLen+8 || len(value) < blockHead+atRecords || value[0] != valueVersion {
		return k, errDamaged
	}
	k.base = int64(binary.BigEndian.Uint64(key[partKeyLen:]))
	k.newest = int64(binary.BigEndian.Uint64(value[1:]))
	k.batch = value[blockHead:]
	k.next = k.base + int64(int32(binary.BigEndian.Uint32(k.batch[atLast:]))) + 1
	if int64(binary.BigEndian.Uint64(k.batch)) != k.base || k.next <= k.base {
		return k, errDamaged
	}
	return k, nil
}
