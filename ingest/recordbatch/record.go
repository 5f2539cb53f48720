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
//
// The record is a result, not behind a pointer: its fields cost no write barriers.
func Next(b []byte, strict bool) (r Record, rest []byte, err error) {
	n, b := varint(b)
	if b == nil || n < MinRecord-1 || n > int64(len(b)) {
		return r, nil, errLength
	}
	rest = b[n:]
	r.TimeDelta, b = varint(b[1:n]) // after the attributes, which are not used
	r.OffsetDelta, b = varint(b)
	r.Key, b = field(b, strict)
	r.Value, b = field(b, strict)
	count, b := varint(b)
	if b == nil || count < 0 || count > int64(len(b)) {
		return r, nil, errFields
	}
	r.Headers = Headers{int32(count), b}
	for range count {
		key, more := field(b, strict)
		if key == nil {
			return r, nil, errHeaders
		}
		_, b = field(more, strict)
	}
	if b == nil || len(b) > 0 {
		return r, nil, errHeaders
	}
	return r, rest, nil
}

// Headers are the headers of a record, in their encoding.
type Headers struct {
	Count int32
	Bytes []byte
}

// All gives keys and values in their order; a nil value is null.
func (h Headers) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b := h.Bytes
		for range h.Count {
			var key, value []byte
			key, b = field(b, false)
			value, b = field(b, false)
			if b == nil || !yield(key, value) {
				return
			}
		}
	}
}

// varint reads a number and gives what follows it; nil: it is cut off. Nearly all are one byte.
func varint(b []byte) (v int64, rest []byte) {
	if len(b) > 0 && b[0] < 0x80 {
		return int64(b[0]>>1) ^ -int64(b[0]&1), b[1:]
	}
	return longVarint(b)
}

func longVarint(b []byte) (v int64, rest []byte) {
	v, k := binary.Varint(b)
	if k <= 0 {
		return 0, nil
	}
	return v, b[k:]
}

// field reads bytes after their length and gives what follows them; nil: they are cut off. A
// field of a length below zero is nil.
func field(b []byte, strict bool) (v, rest []byte) {
	n, b := varint(b)
	switch {
	case n > int64(len(b)), strict && n < -1:
		return nil, nil
	case n < 0:
		return nil, b
	}
	return b[:n:n], b[n:]
}
