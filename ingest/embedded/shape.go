package embedded

import "encoding/binary"

// maxElements bounds the array elements and tags of one request.
const maxElements = 1 << 16

// shape walks the bytes of a request body of one kind. What a decoder allocates
// before it finds out that a length was a lie is then bounded by what is really there.
type shape func(w *walker, version int16)

// walker passes over the protocol's primitives; bad stays once a length did not fit.
type walker struct {
	b        []byte
	flexible bool // compact lengths and tags
	left     int  // elements and tags that may still come
	bad      bool
}

// fits reports that a request body has the shape. Like Kafka it does not mind bytes
// behind the body: rest.
func fits(s shape, version int16, flexible bool, body []byte) (rest []byte, ok bool) {
	w := walker{b: body, flexible: flexible, left: maxElements}
	s(&w, version)
	w.tags(nil)
	return w.b, !w.bad
}

func (w *walker) fail() { w.b, w.bad = nil, true }

func (w *walker) skip(n int) {
	if n < 0 || n > len(w.b) {
		w.fail()
		return
	}
	w.b = w.b[n:]
}

func (w *walker) uvarint() int {
	v, k := binary.Uvarint(w.b)
	if k <= 0 || v > 1<<31 {
		w.fail()
		return 0
	}
	w.b = w.b[k:]
	return int(v)
}

// length reads a length: compact, or in so many bytes. -1 is null.
func (w *walker) length(size int) int {
	if w.flexible {
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

// text passes a string, null or not.
func (w *walker) text() { w.skip(max(w.length(2), 0)) }

// blob passes bytes, null or not.
func (w *walker) blob() { w.skip(max(w.length(4), 0)) }

// array passes an array whose elements each passes.
func (w *walker) array(each func()) {
	for n := w.length(4); n > 0 && !w.bad; n-- {
		if w.left--; w.left < 0 {
			w.fail()
			return
		}
		each()
	}
}

// structs passes an array of structs, which end in tags.
func (w *walker) structs(each func()) {
	w.array(func() {
		each()
		w.tags(nil)
	})
}

// tags passes the tags that end a struct of a flexible version; known passes the
// content of those that the decoder knows.
func (w *walker) tags(known func(tag int, content *walker)) {
	if !w.flexible {
		return
	}
	for n := w.uvarint(); n > 0 && !w.bad; n-- {
		if w.left--; w.left < 0 {
			w.fail()
			return
		}
		tag, size := w.uvarint(), w.uvarint()
		content := walker{b: w.b, flexible: true, left: w.left}
		w.skip(size)
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

func (w *walker) int32s() { w.array(func() { w.skip(4) }) }
func (w *walker) texts()  { w.array(w.text) }

// when is n if the condition holds, else 0.
func when(condition bool, n int) int {
	if condition {
		return n
	}
	return 0
}

func shapeApiVersions(w *walker, v int16) {
	if v >= 3 {
		w.text()
		w.text()
	}
}

func shapeMetadata(w *walker, v int16) {
	w.structs(func() {
		w.skip(when(v >= 10, 16))
		w.text()
	})
	w.skip(when(v >= 4, 1) + when(v >= 8 && v <= 10, 1) + when(v >= 8, 1))
}

func shapeProduce(w *walker, _ int16) {
	w.text()
	w.skip(2 + 4)
	w.structs(func() {
		w.text()
		w.structs(func() {
			w.skip(4)
			w.blob()
		})
	})
}

func shapeFetch(w *walker, v int16) {
	topic := func() {
		if v >= 13 {
			w.skip(16)
		} else {
			w.text()
		}
	}
	w.skip(4 + 4 + 4 + 4 + 1 + when(v >= 7, 8))
	w.structs(func() {
		topic()
		w.structs(func() { w.skip(4 + when(v >= 9, 4) + 8 + when(v >= 12, 4) + when(v >= 5, 8) + 4) })
	})
	if v >= 7 {
		w.structs(func() {
			topic()
			w.int32s()
		})
	}
	if v >= 11 {
		w.text()
	}
	// The decoder looks into these two tags, also in versions that do not have them.
	w.tags(func(tag int, c *walker) {
		switch tag {
		case 0:
			c.text()
		case 1:
			c.skip(4 + 8)
			c.tags(nil)
		}
	})
	w.flexible = false // the tags are passed
}

func shapeListOffsets(w *walker, v int16) {
	w.skip(4 + when(v >= 2, 1))
	w.structs(func() {
		w.text()
		w.structs(func() { w.skip(4 + when(v >= 4, 4) + 8) })
	})
}

func shapeFindCoordinator(w *walker, v int16) {
	if v <= 3 {
		w.text()
	}
	w.skip(when(v >= 1, 1))
	if v >= 4 {
		w.texts()
	}
}

func shapeInitProducerID(w *walker, v int16) {
	w.text()
	w.skip(4 + when(v >= 3, 8+2))
}

func shapeCreateTopics(w *walker, _ int16) {
	w.structs(func() {
		w.text()
		w.skip(4 + 2)
		w.structs(func() {
			w.skip(4)
			w.int32s()
		})
		w.structs(func() {
			w.text()
			w.text()
		})
	})
	w.skip(4 + 1)
}

func shapeDeleteTopics(w *walker, v int16) {
	if v <= 5 {
		w.texts()
	} else {
		w.structs(func() {
			w.text()
			w.skip(16)
		})
	}
	w.skip(4)
}

func shapeCreatePartitions(w *walker, _ int16) {
	w.structs(func() {
		w.text()
		w.skip(4)
		w.structs(w.int32s)
	})
	w.skip(4 + 1)
}

func shapeDescribeConfigs(w *walker, v int16) {
	w.structs(func() {
		w.skip(1)
		w.text()
		w.texts()
	})
	w.skip(1 + when(v >= 3, 1))
}

func shapeDeleteRecords(w *walker, _ int16) {
	w.structs(func() {
		w.text()
		w.structs(func() { w.skip(4 + 8) })
	})
	w.skip(4)
}

func shapeOffsetCommit(w *walker, v int16) {
	w.text()
	w.skip(4)
	w.text()
	if v >= 7 {
		w.text()
	}
	w.skip(when(v <= 4, 8))
	w.structs(func() {
		w.text()
		w.structs(func() {
			w.skip(4 + 8 + when(v >= 6, 4))
			w.text()
		})
	})
}

func shapeOffsetFetch(w *walker, v int16) {
	topics := func() {
		w.structs(func() {
			w.text()
			w.int32s()
		})
	}
	if v <= 7 {
		w.text()
		topics()
	} else {
		w.structs(func() {
			w.text()
			topics()
		})
	}
	w.skip(when(v >= 7, 1))
}

func shapeOffsetForLeaderEpoch(w *walker, v int16) {
	w.skip(when(v >= 3, 4))
	w.structs(func() {
		w.text()
		w.structs(func() { w.skip(4 + 4 + 4) })
	})
}
