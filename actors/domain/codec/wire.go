package codec

import (
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// ErrMalformed is bytes that no value has.
var ErrMalformed = errors.New("codec: malformed value")

// writer appends fields; those with a zero value are left out.
type writer struct{ b []byte }

func (w *writer) uint(num protowire.Number, v uint64) {
	if v != 0 {
		w.b = protowire.AppendVarint(protowire.AppendTag(w.b, num, protowire.VarintType), v)
	}
}

func (w *writer) int(num protowire.Number, v int64) { w.uint(num, uint64(v)) }

func (w *writer) bool(num protowire.Number, v bool) { w.uint(num, protowire.EncodeBool(v)) }

func (w *writer) text(num protowire.Number, s string) {
	if s != "" {
		w.element(num, s)
	}
}

// element writes a text also if it is empty: it is one of a list, or it is present.
func (w *writer) element(num protowire.Number, s string) {
	w.b = protowire.AppendString(protowire.AppendTag(w.b, num, protowire.BytesType), s)
}

// block writes bytes unless all of them are zero.
func (w *writer) block(num protowire.Number, v []byte) {
	for _, c := range v {
		if c != 0 {
			w.b = protowire.AppendBytes(protowire.AppendTag(w.b, num, protowire.BytesType), v)
			return
		}
	}
}

// open begins a message, close ends it: its length, of one byte where that is enough,
// stands before it.
func (w *writer) open(num protowire.Number) (at int) {
	w.b = append(protowire.AppendTag(w.b, num, protowire.BytesType), 0)
	return len(w.b)
}

func (w *writer) close(at int) {
	n := len(w.b) - at
	size := protowire.SizeVarint(uint64(n))
	if size > 1 {
		w.b = append(w.b, make([]byte, size-1)...)
		copy(w.b[at+size-1:], w.b[at:at+n])
	}
	protowire.AppendVarint(w.b[:at-1], uint64(n))
}

// closeUnlessEmpty takes a message without fields back, its tag too.
func (w *writer) closeUnlessEmpty(num protowire.Number, at int) {
	if len(w.b) == at {
		w.b = w.b[:at-1-protowire.SizeTag(num)]
		return
	}
	w.close(at)
}

// reader reads the fields of a message. Texts are parts of s, which has the same bytes:
// one allocation for all of them. After an error nothing more is read.
type reader struct {
	b      []byte
	s      string
	num    protowire.Number
	typ    protowire.Type
	failed *bool // of all messages of a value
}

// next goes to the next field.
func (r *reader) next() bool {
	if *r.failed || len(r.b) == 0 {
		return false
	}
	num, typ, n := protowire.ConsumeTag(r.b)
	if n < 0 {
		return r.fail()
	}
	r.num, r.typ = num, typ
	r.skip(n)
	return true
}

func (r *reader) skip(n int) { r.b, r.s = r.b[n:], r.s[n:] }

func (r *reader) fail() bool {
	*r.failed = true
	return false
}

func (r *reader) uint() uint64 {
	v, n := protowire.ConsumeVarint(r.b)
	if r.typ != protowire.VarintType || n < 0 {
		r.fail()
		return 0
	}
	r.skip(n)
	return v
}

// below is a number of at most most.
func (r *reader) below(most uint64) uint64 {
	v := r.uint()
	if v > most {
		r.fail()
		return 0
	}
	return v
}

func (r *reader) uint32() uint32 { return uint32(r.below(math.MaxUint32)) }

func (r *reader) uint8() uint8 { return uint8(r.below(math.MaxUint8)) }

func (r *reader) int() int64 { return int64(r.uint()) }

func (r *reader) bool() bool { return r.below(1) != 0 }

// message is the field as a message of its own.
func (r *reader) message() reader {
	size, n := protowire.ConsumeVarint(r.b)
	if r.typ != protowire.BytesType || n < 0 || size > uint64(len(r.b)-n) {
		r.fail()
		return reader{failed: r.failed}
	}
	end := n + int(size)
	m := reader{b: r.b[n:end], s: r.s[n:end], failed: r.failed}
	r.skip(end)
	return m
}

func (r *reader) text() string { return r.message().s }

// block reads as many bytes as dst has.
func (r *reader) block(dst []byte) {
	m := r.message()
	if len(m.b) != len(dst) {
		r.fail()
		return
	}
	copy(dst, m.b)
}
