package kafka

import (
	"encoding/binary"
	"iter"
)

// Record is one record of a page. Key, Value and headers are the page's memory.
type Record struct {
	Offset int64
	TimeMs int64 // since 1970, −1 none; of a topic with log append time the broker's
	Key    []byte
	Value  []byte // both: nil is null

	LeaderEpoch int32 // of its batch

	count   int32  // of headers
	headers []byte // as they came; decoding has found them whole
}

// Headers gives the headers in their order; a nil value is null.
func (r *Record) Headers() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := cursor{b: r.headers}
		for range r.count {
			k, v := c.bytes(), c.bytes()
			if c.bad || !yield(k, v) {
				return
			}
		}
	}
}

// HeaderCount is how many headers there are: a record of some MiB may have millions.
func (r *Record) HeaderCount() int { return int(r.count) }

// Size is the most that the record's message takes in a batch, uncompressed.
func (r *Record) Size() int {
	return recordHead + sizeVarint(int64(r.count)) + sizeBytes(r.Key) + sizeBytes(r.Value) + len(r.headers)
}

// Message is what was published, with the time that the record has. It shares the page's
// memory.
func (r *Record) Message() Message {
	m := Message{Key: r.Key, Value: r.Value, TimeMs: r.TimeMs}
	for k, v := range r.Headers() {
		m.Headers = append(m.Headers, Header{Key: string(k), Value: v})
	}
	return m
}

// Header is the value of the last header with this key, as Kafka's own clients
// choose.
func (r *Record) Header(key string) (value []byte, ok bool) {
	c := cursor{b: r.headers}
	for range r.count {
		k, v := c.bytes(), c.bytes()
		if !c.bad && string(k) == key {
			value, ok = v, true
		}
	}
	return value, ok
}

// cursor reads the fields of records that nobody has checked. After a field that
// is not there it is bad and what it gives means nothing.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) varint() int64 {
	if len(c.b) > 0 && c.b[0] < 0x80 { // nearly all are one byte
		v := c.b[0]
		c.b = c.b[1:]
		return int64(v>>1) ^ -int64(v&1)
	}
	return c.long()
}

func (c *cursor) long() int64 {
	v, k := binary.Varint(c.b)
	if k <= 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[k:]
	return v
}

// bytes is nil for a length below zero.
func (c *cursor) bytes() []byte {
	n := c.varint()
	if n < 0 {
		return nil
	}
	if n > int64(len(c.b)) {
		c.bad = true
		return nil
	}
	v := c.b[:n:n]
	c.b = c.b[n:]
	return v
}
