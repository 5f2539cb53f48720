package recordbatch

import (
	"encoding/binary"
	"errors"
	"iter"
)

// MinRecord is the bytes that a record takes at least.
const MinRecord = 7

var (
	errLength  = errors.New("length of a record")
	errFields  = errors.New("fields of a record")
	errHeaders = errors.New("headers of a record")
)

// Record is one record of a batch:
//
//	length │ attributes, 1 byte │ timestamp − first │ offset − base │ key │ value │ number of
//	headers, each its key and value
//
// Numbers are zigzag varints. Key, value and headers share the memory that they were read from.
type Record struct {
	TimeDelta   int64
	OffsetDelta int64
	Key, Value  []byte // nil: null
	Headers     Headers
}

// Next reads the record that b begins with, and gives what follows it: all of it fits exactly.
// A length below zero is a null; strict refuses those below −1, on which readers differ.
func (r *Record) Next(b []byte, strict bool) (rest []byte, err error) {
	c := cursor{b: b, strict: strict}
	n := c.varint()
	if c.bad || n < MinRecord-1 || n > int64(len(c.b)) {
		return nil, errLength
	}
	rest = c.b[n:]
	c.b = c.b[1:n] // the attributes are not used
	r.TimeDelta = c.varint()
	r.OffsetDelta = c.varint()
	r.Key = c.bytes()
	r.Value = c.bytes()
	count := c.varint()
	if c.bad || count < 0 || count > int64(len(c.b)) {
		return nil, errFields
	}
	r.Headers = Headers{int32(count), c.b}
	for range count {
		if c.bytes() == nil { // a key
			return nil, errHeaders
		}
		c.bytes()
	}
	if c.bad || len(c.b) > 0 {
		return nil, errHeaders
	}
	return rest, nil
}

// Headers are the headers of a record, in their encoding.
type Headers struct {
	Count int32
	Bytes []byte
}

// All gives keys and values in their order; a nil value is null.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := cursor{b: h.Bytes}
		for range h.Count {
			key := c.bytes()
			value := c.bytes()
			if c.bad || !yield(key, value) {
				return
			}
		}
	}
}

// cursor reads fields that are not checked yet. After one that is cut off it is bad, and what
// it gives means nothing.
type cursor struct {
	b      []byte
	bad    bool
	strict bool
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
		c.bad = c.bad || c.strict && n < -1
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
