package walk

import "encoding/binary"

// Walker passes over the protocol's primitives; it is bad from the first length on that
// does not fit.
type Walker struct {
	Flexible bool // compact lengths and tags

	b    []byte
	left int // elements and tags that may still come
	bad  bool
}

// New walks over b, and at most so many elements and tags.
func New(b []byte, flexible bool, elements int) Walker {
	return Walker{Flexible: flexible, b: b, left: elements}
}

// Rest is what was not passed; nothing of a bad one.
func (w *Walker) Rest() []byte { return w.b }

// Bad reports that something did not fit.
func (w *Walker) Bad() bool { return w.bad }

func (w *Walker) fail() { w.b, w.bad = nil, true }

// Skip passes n bytes.
func (w *Walker) Skip(n int) {
	if n < 0 || n > len(w.b) {
		w.fail()
		return
	}
	w.b = w.b[n:]
}

func (w *Walker) uvarint() int {
	v, k := binary.Uvarint(w.b)
	if k <= 0 || v > 1<<31 {
		w.fail()
		return 0
	}
	w.b = w.b[k:]
	return int(v)
}

// length reads a length: compact, or in so many bytes. -1 is null.
func (w *Walker) length(size int) int {
	if w.Flexible {
		return w.uvarint() - 1
	}
	if len(w.b) < size {
		w.fail()
		return -1
	}
	b := w.b
	w.b = w.b[size:]
	if size == 2 {
		return int(int16(binary.BigEndian.Uint16(b)))
	}
	return int(int32(binary.BigEndian.Uint32(b)))
}

// OldText passes a text that has the old length in every version.
func (w *Walker) OldText() {
	flexible := w.Flexible
	w.Flexible = false
	w.Text()
	w.Flexible = flexible
}

// Text passes a text, null or not.
func (w *Walker) Text() { w.Skip(max(w.length(2), 0)) }

// Blob passes bytes, null or not.
func (w *Walker) Blob() { w.Skip(max(w.length(4), 0)) }

// Array passes an array whose elements each passes.
func (w *Walker) Array(each func()) {
	for n := w.length(4); n > 0 && !w.bad; n-- {
		if w.left--; w.left < 0 {
			w.fail()
			return
		}
		each()
	}
}

// Structs passes an array of structs, which end in tags.
func (w *Walker) Structs(each func()) {
	w.Array(func() {
		each()
		w.Tags(nil)
	})
}

// Tags passes the tags that end a struct of a flexible version; known passes the
// content of those that the decoder knows.
func (w *Walker) Tags(known func(tag int, content *Walker)) {
	if !w.Flexible {
		return
	}
	for n := w.uvarint(); n > 0 && !w.bad; n-- {
		if w.left--; w.left < 0 {
			w.fail()
			return
		}
		tag, size := w.uvarint(), w.uvarint()
		content := Walker{b: w.b, Flexible: true, left: w.left}
		w.Skip(size)
		if known == nil || w.bad {
			continue
		}
		content.b = content.b[:size]
		known(tag, &content)
		if w.left = content.left; content.bad {
			w.fail()
		}
	}
}

// Int32s passes an array of numbers of four bytes.
func (w *Walker) Int32s() { w.Array(func() { w.Skip(4) }) }

// Texts passes an array of texts.
func (w *Walker) Texts() { w.Array(w.Text) }
