package recordbatch

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A record batch, format 2, big endian:
//
//	 0 base offset       8    21 attributes      2   codec 0-2, log append time 3,
//	 8 length after it   4                           transactional 4, control 5
//	12 leader epoch      4    23 last offset − base offset   4
//	16 format            1    27 first timestamp 8   35 highest timestamp 8
//	17 CRC-32C of all    4    43 producer id     8   51 its epoch 2   53 sequence 4
//	   that follows           57 count           4   61 records, compressed as one
//
// Base offset, length and leader epoch are outside of the checksum: the leader sets them
// without computing it again.
const (
	AtLength        = 8
	AtEpoch         = 12
	AtFormat        = 16
	AtCRC           = 17
	AtAttributes    = 21
	AtLastDelta     = 23
	AtFirstTime     = 27
	AtMaxTime       = 35
	AtProducer      = 43
	AtProducerEpoch = 51
	AtSequence      = 53
	AtCount         = 57
	HeaderSize      = 61

	Format = 2
)

// Attributes of a batch: its codec and these flags.
type Attributes uint16

// Flags.
const (
	LogAppendTime Attributes = 0x08 // the highest timestamp is that of every record
	Transactional Attributes = 0x10
	Control       Attributes = 0x20
)

// Codec is how the records are compressed.
func (a Attributes) Codec() Codec { return Codec(a & 0x07) }

// Header is the fields before the records. Length, format and checksum are Put's.
type Header struct {
	Base          int64 // offset of the first record
	LastDelta     int32 // offset of the last record less the base
	Epoch         int32 // of the leader, -1: not placed yet
	Attributes    Attributes
	FirstTime     int64 // of the first record, ms since 1970
	MaxTime       int64
	Producer      int64 // -1: none
	ProducerEpoch int16
	Sequence      int32
	Count         int32 // of records
}

// Parse reads the header of a batch, which has HeaderSize bytes at least. It checks nothing.
func Parse(b []byte) Header {
	be := binary.BigEndian
	return Header{
		Base:          int64(be.Uint64(b)),
		LastDelta:     int32(be.Uint32(b[AtLastDelta:])),
		Epoch:         int32(be.Uint32(b[AtEpoch:])),
		Attributes:    Attributes(be.Uint16(b[AtAttributes:])),
		FirstTime:     int64(be.Uint64(b[AtFirstTime:])),
		MaxTime:       int64(be.Uint64(b[AtMaxTime:])),
		Producer:      int64(be.Uint64(b[AtProducer:])),
		ProducerEpoch: int16(be.Uint16(b[AtProducerEpoch:])),
		Sequence:      int32(be.Uint32(b[AtSequence:])),
		Count:         int32(be.Uint32(b[AtCount:])),
	}
}

// Put writes the header before the records that b has from HeaderSize on, with length, format
// and checksum.
func (h *Header) Put(b []byte) {
	be := binary.BigEndian
	Place(b, h.Base, h.Epoch)
	be.PutUint32(b[AtLength:], uint32(len(b)-AtEpoch))
	b[AtFormat] = Format
	be.PutUint16(b[AtAttributes:], uint16(h.Attributes))
	be.PutUint32(b[AtLastDelta:], uint32(h.LastDelta))
	be.PutUint64(b[AtFirstTime:], uint64(h.FirstTime))
	be.PutUint64(b[AtMaxTime:], uint64(h.MaxTime))
	be.PutUint64(b[AtProducer:], uint64(h.Producer))
	be.PutUint16(b[AtProducerEpoch:], uint16(h.ProducerEpoch))
	be.PutUint32(b[AtSequence:], uint32(h.Sequence))
	be.PutUint32(b[AtCount:], uint32(h.Count))
	Seal(b)
}

// Last is the offset of the last record.
func (h *Header) Last() int64 { return h.Base + int64(h.LastDelta) }

// Size is the bytes of the batch that b begins with, by its length, which may be a lie. b has
// AtEpoch bytes at least.
func Size(b []byte) int64 { return AtEpoch + int64(int32(binary.BigEndian.Uint32(b[AtLength:]))) }

// Place sets base offset and leader epoch.
func Place(b []byte, base int64, epoch int32) {
	binary.BigEndian.PutUint64(b, uint64(base))
	binary.BigEndian.PutUint32(b[AtEpoch:], uint32(epoch))
}

// SetMaxTime sets the highest timestamp, with logAppendTime as that of every record, and the
// checksum.
func SetMaxTime(b []byte, ms int64, logAppendTime bool) {
	if logAppendTime {
		b[AtAttributes+1] |= byte(LogAppendTime)
	}
	binary.BigEndian.PutUint64(b[AtMaxTime:], uint64(ms))
	Seal(b)
}

// Lost is a batch without records over the offsets from base to last, with a checksum that
// does not match: what a broker gives instead of a batch that it cannot read.
func Lost(base, last int64, epoch int32) []byte {
	b := make([]byte, HeaderSize)
	h := Header{Base: base, LastDelta: int32(last - base), Epoch: epoch, Producer: -1}
	h.Put(b)
	binary.BigEndian.PutUint32(b[AtCRC:], binary.BigEndian.Uint32(b[AtCRC:])^math.MaxUint32)
	return b
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b[AtAttributes:], castagnoli) }

// Seal sets the checksum.
func Seal(b []byte) { binary.BigEndian.PutUint32(b[AtCRC:], checksum(b)) }

// Sound reports that the checksum matches.
func Sound(b []byte) bool { return binary.BigEndian.Uint32(b[AtCRC:]) == checksum(b) }
