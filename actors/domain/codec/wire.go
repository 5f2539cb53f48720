package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// writer appends protobuf fields; those with a zero value are left out.
type writer struct{ b []byte }

func (w *writer) tag(num protowire.Number, typ protowire.Type) {
	t := uint64(num)<<3 | uint64(typ)
	if t < 0x80 {
		w.b = append(w.b, byte(t))
		return
	}
	w.b = append(w.b, byte(t)|0x80, byte(t>>7)) // numbers below 2048 only
}

func (w *writer) uint(num protowire.Number, v uint64) {
	if v != 0 {
		w.tag(num, protowire.VarintType)
		w.b = protowire.AppendVarint(w.b, v)
	}
}

func (w *writer) sint(num protowire.Number, v int64) { w.uint(num, protowire.EncodeZigZag(v)) }

func (w *writer) bool(num protowire.Number, v bool) { w.uint(num, protowire.EncodeBool(v)) }

func (w *writer) fixed64(num protowire.Number, v uint64) {
	if v != 0 {
		w.tag(num, protowire.Fixed64Type)
		w.b = binary.LittleEndian.AppendUint64(w.b, v)
	}
}

func (w *writer) text(num protowire.Number, s string) {
	if s != "" {
		w.element(num, s)
	}
}

// element writes a text also if it is empty: it is one of a list.
func (w *writer) element(num protowire.Number, s string) {
	w.tag(num, protowire.BytesType)
	w.b = protowire.AppendVarint(w.b, uint64(len(s)))
	w.b = append(w.b, s...)
}

// block16 writes 16 bytes unless all of them are zero.
func (w *writer) block16(num protowire.Number, v *[16]byte) {
	if *v != [16]byte{} {
		w.block(num, v[:])
	}
}

func (w *writer) block(num protowire.Number, v []byte) {
	w.tag(num, protowire.BytesType)
	w.b = append(w.b, byte(len(v))) // at most 32
	w.b = append(w.b, v...)
}

// open begins a message, close ends it: between them its length has one byte, which
// is made as long as it must be at the end.
func (w *writer) open(num protowire.Number) (at int) {
	w.tag(num, protowire.BytesType)
	w.b = append(w.b, 0)
	return len(w.b)
}

func (w *writer) close(at int) {
	n := len(w.b) - at
	if n < 0x80 {
		w.b[at-1] = byte(n)
		return
	}
	var length [binary.MaxVarintLen64]byte
	more := binary.PutUvarint(length[:], uint64(n)) - 1
	w.b = append(w.b, length[:more]...)
	copy(w.b[at+more:], w.b[at:at+n])
	copy(w.b[at-1:], length[:more+1])
}

// reader goes through the fields of a message. The first fault ends it; err tells.
type reader struct {
	b   []byte
	i   int
	num protowire.Number
	typ protowire.Type
	err error
}

// next reads the tag of the next field. The caller reads its value, or fails.
func (r *reader) next() bool {
	if r.i >= len(r.b) {
		return false
	}
	t := r.varint()
	r.num, r.typ = protowire.Number(t>>3), protowire.Type(t&7)
	if t>>3 == 0 || t>>3 > uint64(protowire.MaxValidNumber) {
		r.fail()
	}
	return r.err == nil
}

// fail notes the first fault, and leaves nothing to read.
func (r *reader) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("%w: field %d", ErrMalformed, r.num)
	}
	r.i = len(r.b)
}

// is checks the type of the field.
func (r *reader) is(typ protowire.Type) bool {
	if r.typ != typ {
		r.fail()
	}
	return r.err == nil
}

func (r *reader) varint() (v uint64) {
	for shift := 0; r.i < len(r.b); shift += 7 {
		c := r.b[r.i]
		r.i++
		if c < 0x80 {
			if shift == 63 && c > 1 {
				break
			}
			return v | uint64(c)<<shift
		}
		if shift == 63 {
			break
		}
		v |= uint64(c&0x7f) << shift
	}
	r.fail()
	return 0
}

// uint is a number of at most maxValue.
func (r *reader) uint(maxValue uint64) uint64 {
	if !r.is(protowire.VarintType) {
		return 0
	}
	v := r.varint()
	if v > maxValue {
		r.fail()
		return 0
	}
	return v
}

func (r *reader) u8() uint8   { return uint8(r.uint(math.MaxUint8)) }
func (r *reader) u16() uint16 { return uint16(r.uint(math.MaxUint16)) }
func (r *reader) u32() uint32 { return uint32(r.uint(math.MaxUint32)) }
func (r *reader) u64() uint64 { return r.uint(math.MaxUint64) }
func (r *reader) bool() bool  { return r.uint(1) == 1 }

func (r *reader) sint() int64 { return protowire.DecodeZigZag(r.u64()) }

func (r *reader) sint32() int32 {
	v := r.sint()
	if int64(int32(v)) != v {
		r.fail()
	}
	return int32(v)
}

func (r *reader) fixed64() uint64 {
	if !r.is(protowire.Fixed64Type) {
		return 0
	}
	if len(r.b)-r.i < 8 {
		r.fail()
		return 0
	}
	r.i += 8
	return binary.LittleEndian.Uint64(r.b[r.i-8:])
}

// bytes is a field's bytes, not copied.
func (r *reader) bytes() []byte {
	if !r.is(protowire.BytesType) {
		return nil
	}
	n := r.varint()
	if n > uint64(len(r.b)-r.i) {
		r.fail()
		return nil
	}
	r.i += int(n)
	return r.b[r.i-int(n) : r.i : r.i]
}

// text is a field's bytes as a string, not copied.
func (r *reader) text() string {
	b := r.bytes()
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// block fills dst, whose length must be the field's.
func (r *reader) block(dst []byte) {
	if v := r.bytes(); len(v) == len(dst) {
		copy(dst, v)
		return
	}
	r.fail()
}

// message is a reader of a field that is a message; done takes its error back.
func (r *reader) message() reader { return reader{b: r.bytes(), err: r.err} }

func (r *reader) done(inner *reader) {
	if inner.err != nil {
		r.err = inner.err
		r.fail()
	}
}
