package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"math/bits"
	"slices"
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
// A record: its length, attributes (1 byte), timestamp − first, offset − base, key,
// value, number of headers, each its key and value. Numbers are zigzag varints, a
// length of −1 is null.
const (
	atLength     = 8
	atEpoch      = 12
	atFormat     = 16
	atCRC        = 17
	atAttributes = 21
	atLastDelta  = 23
	atFirstTime  = 27
	atMaxTime    = 35
	atProducer   = 43
	atProdEpoch  = 51
	atSequence   = 53
	atCount      = 57
	headerSize   = 61

	format = 2

	codecBits     = 0x07
	logAppendTime = 0x08
	transactional = 0x10
	control       = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Message is what is appended as one record.
type Message struct {
	Key, Value []byte // nil is null
	Headers    []Header
	TimeMs     int64 // since 1970; 0: the time of sending. A topic may stamp its own.
}

// Header is one header of a record. A nil value is null.
type Header struct {
	Key   string
	Value []byte
}

// recordHead is the most that a record takes before its key: attributes, three numbers of
// at most 5, 10 and 5 bytes.
const recordHead = 1 + 5 + 10 + 5

// Size is the most that the message takes in a batch, uncompressed.
func (m *Message) Size() int {
	n := recordHead + sizeVarint(int64(len(m.Headers))) + sizeBytes(m.Key) + sizeBytes(m.Value)
	for i := range m.Headers {
		n += sizeVarint(int64(len(m.Headers[i].Key))) + len(m.Headers[i].Key) + sizeBytes(m.Headers[i].Value)
	}
	return n
}

// Split cuts messages, in order, into the longest batches that take at most limit
// bytes uncompressed. A message that is larger by itself is a batch of its own: it
// may fit compressed, and Send says when it does not.
func Split(messages []Message, limit int) iter.Seq[[]Message] {
	return func(yield func([]Message) bool) {
		from, size := 0, headerSize
		for i := range messages {
			n := messages[i].Size()
			if i > from && size+n > limit {
				if !yield(messages[from:i:i]) {
					return
				}
				from, size = i, headerSize
			}
			size += n
		}
		if from < len(messages) {
			yield(messages[from:])
		}
	}
}

// stamp is a producer's place in the log: what makes a repeated batch known as one.
type stamp struct {
	producer int64
	epoch    int16
	sequence int32
}

// encoder makes batches. Its memory is used again: a batch is valid until the next.
type encoder struct {
	batch, plain []byte
}

var errNoMessages = errors.New("kafka: a batch needs at least one message")

// encode makes a batch of the messages, now being the time of those without one.
func (e *encoder) encode(s stamp, codec Codec, messages []Message, now int64) ([]byte, error) {
	if len(messages) == 0 || len(messages) > math.MaxInt32 {
		return nil, errNoMessages
	}
	first, last := timeOf(&messages[0], now), int64(math.MinInt64)
	b := grow(e.batch[:0], headerSize)[:headerSize]
	if codec == None {
		b, last = appendRecords(b, messages, first, now)
	} else {
		e.plain, last = appendRecords(e.plain[:0], messages, first, now)
		var err error
		if b, err = e.compress(b, codec, e.plain); err != nil {
			return nil, err
		}
	}
	e.batch = b
	if len(b) > math.MaxInt32 {
		return nil, fmt.Errorf("kafka: batch of %d bytes", len(b))
	}
	be := binary.BigEndian
	be.PutUint64(b, 0)
	be.PutUint32(b[atLength:], uint32(len(b)-atEpoch))
	be.PutUint32(b[atEpoch:], math.MaxUint32) // −1: the leader fills it in
	b[atFormat] = format
	be.PutUint16(b[atAttributes:], uint16(codec))
	be.PutUint32(b[atLastDelta:], uint32(len(messages)-1))
	be.PutUint64(b[atFirstTime:], uint64(first))
	be.PutUint64(b[atMaxTime:], uint64(last))
	be.PutUint64(b[atProducer:], uint64(s.producer))
	be.PutUint16(b[atProdEpoch:], uint16(s.epoch))
	be.PutUint32(b[atSequence:], uint32(s.sequence))
	be.PutUint32(b[atCount:], uint32(len(messages)))
	be.PutUint32(b[atCRC:], crc32.Checksum(b[atAttributes:], castagnoli))
	return b, nil
}

func (e *encoder) compress(dst []byte, codec Codec, plain []byte) ([]byte, error) {
	switch codec {
	case LZ4:
		return appendLZ4(dst, plain)
	case Zstd:
		return zstdEncoder().EncodeAll(plain, dst), nil
	}
	return nil, fmt.Errorf("kafka: batches cannot be written with %s", codec)
}

func timeOf(m *Message, now int64) int64 {
	if m.TimeMs == 0 {
		return now
	}
	return m.TimeMs
}

// appendRecords appends the records and gives their highest timestamp.
func appendRecords(b []byte, messages []Message, first, now int64) ([]byte, int64) {
	last := first
	for i := range messages {
		m := &messages[i]
		at := timeOf(m, now)
		last = max(last, at)
		n := 1 + sizeVarint(at-first) + sizeVarint(int64(i)) + sizeBytes(m.Key) + sizeBytes(m.Value) + sizeVarint(int64(len(m.Headers)))
		for j := range m.Headers {
			h := &m.Headers[j]
			n += sizeVarint(int64(len(h.Key))) + len(h.Key) + sizeBytes(h.Value)
		}
		b = grow(b, n+binary.MaxVarintLen32)
		b = binary.AppendVarint(b, int64(n))
		b = append(b, 0)
		b = binary.AppendVarint(b, at-first)
		b = binary.AppendVarint(b, int64(i))
		b = appendBytes(b, m.Key)
		b = appendBytes(b, m.Value)
		b = binary.AppendVarint(b, int64(len(m.Headers)))
		for j := range m.Headers {
			h := &m.Headers[j]
			b = binary.AppendVarint(b, int64(len(h.Key)))
			b = append(b, h.Key...)
			b = appendBytes(b, h.Value)
		}
	}
	return b, last
}

func appendBytes(b, v []byte) []byte {
	if v == nil {
		return append(b, 1) // −1
	}
	b = binary.AppendVarint(b, int64(len(v)))
	return append(b, v...)
}

func sizeBytes(v []byte) int {
	if v == nil {
		return 1
	}
	return sizeVarint(int64(len(v))) + len(v)
}

// sizeVarint is the length of v as a zigzag varint.
func sizeVarint(v int64) int {
	return (bits.Len64(uint64(v<<1)^uint64(v>>63)|1) + 6) / 7
}

// grow makes room for n more bytes, at least doubling, so that filling a buffer
// copies each byte about once.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	return slices.Grow(b, max(n, cap(b)))
}
