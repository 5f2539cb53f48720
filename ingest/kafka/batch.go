package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

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
		from, size := 0, recordbatch.HeaderSize
		for i := range messages {
			n := messages[i].Size()
			if i > from && size+n > limit {
				if !yield(messages[from:i:i]) {
					return
				}
				from, size = i, recordbatch.HeaderSize
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
	b := grow(e.batch[:0], recordbatch.HeaderSize)[:recordbatch.HeaderSize]
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
	h := recordbatch.Header{
		LastDelta: int32(len(messages) - 1), Epoch: -1, Attributes: recordbatch.Attributes(codec), FirstTime: first,
		MaxTime: last, Producer: s.producer, ProducerEpoch: s.epoch, Sequence: s.sequence, Count: int32(len(messages)),
	}
	h.Put(b)
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
		n := 1 + sizeVarint(at-first) + sizeVarint(int64(i)) + sizeBytes(m.Key) + sizeBytes(m.Value) +
			sizeVarint(int64(len(m.Headers)))
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
