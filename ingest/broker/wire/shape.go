package wire

import "github.com/ovation-analytics/ovation/ingest/walk"

// maxElements bounds the array elements and tags of one request.
const maxElements = 1 << 16

// shape walks the bytes of a request body of one kind. What a decoder allocates
// before it finds out that a length was a lie is then bounded by what is really there.
type shape func(w *walk.Walker, version int16)

// fits reports that a request body has the shape. Like Kafka it does not mind bytes
// after the body: rest.
func fits(s shape, version int16, flexible bool, body []byte) (rest []byte, ok bool) {
	w := walk.New(body, flexible, maxElements)
	s(&w, version)
	w.Tags(nil)
	return w.Rest(), !w.Bad()
}

// when is n if the condition holds, else 0.
func when(condition bool, n int) int {
	if condition {
		return n
	}
	return 0
}

func shapeApiVersions(w *walk.Walker, v int16) {
	if v >= 3 {
		w.Text()
		w.Text()
	}
}

func shapeMetadata(w *walk.Walker, v int16) {
	w.Structs(func() {
		w.Skip(when(v >= 10, 16))
		w.Text()
	})
	w.Skip(when(v >= 4, 1) + when(v >= 8 && v <= 10, 1) + when(v >= 8, 1))
}

func shapeProduce(w *walk.Walker, _ int16) {
	w.Text()
	w.Skip(2 + 4)
	w.Structs(func() {
		w.Text()
		w.Structs(func() {
			w.Skip(4)
			w.Blob()
		})
	})
}

func shapeFetch(w *walk.Walker, v int16) {
	topic := func() {
		if v >= 13 {
			w.Skip(16)
		} else {
			w.Text()
		}
	}
	w.Skip(4 + 4 + 4 + 4 + 1 + when(v >= 7, 8))
	w.Structs(func() {
		topic()
		w.Structs(func() { w.Skip(4 + when(v >= 9, 4) + 8 + when(v >= 12, 4) + when(v >= 5, 8) + 4) })
	})
	if v >= 7 {
		w.Structs(func() {
			topic()
			w.Int32s()
		})
	}
	if v >= 11 {
		w.Text()
	}
	// The decoder looks into these two tags, also in versions that do not have them.
	w.Tags(func(tag int, c *walk.Walker) {
		switch tag {
		case 0:
			c.Text()
		case 1:
			c.Skip(4 + 8)
			c.Tags(nil)
		}
	})
	w.Flexible = false // the tags are passed
}

func shapeListOffsets(w *walk.Walker, v int16) {
	w.Skip(4 + when(v >= 2, 1))
	w.Structs(func() {
		w.Text()
		w.Structs(func() { w.Skip(4 + when(v >= 4, 4) + 8) })
	})
}

func shapeFindCoordinator(w *walk.Walker, v int16) {
	if v <= 3 {
		w.Text()
	}
	w.Skip(when(v >= 1, 1))
	if v >= 4 {
		w.Texts()
	}
}

func shapeInitProducerID(w *walk.Walker, v int16) {
	w.Text()
	w.Skip(4 + when(v >= 3, 8+2))
}

func shapeSASLHandshake(w *walk.Walker, _ int16) { w.Text() }

func shapeSASLAuthenticate(w *walk.Walker, _ int16) { w.Blob() }

func shapeCreateTopics(w *walk.Walker, _ int16) {
	w.Structs(func() {
		w.Text()
		w.Skip(4 + 2)
		w.Structs(func() {
			w.Skip(4)
			w.Int32s()
		})
		w.Structs(func() {
			w.Text()
			w.Text()
		})
	})
	w.Skip(4 + 1)
}

func shapeDeleteTopics(w *walk.Walker, v int16) {
	if v <= 5 {
		w.Texts()
	} else {
		w.Structs(func() {
			w.Text()
			w.Skip(16)
		})
	}
	w.Skip(4)
}

func shapeCreatePartitions(w *walk.Walker, _ int16) {
	w.Structs(func() {
		w.Text()
		w.Skip(4)
		w.Structs(w.Int32s)
	})
	w.Skip(4 + 1)
}

func shapeDescribeConfigs(w *walk.Walker, v int16) {
	w.Structs(func() {
		w.Skip(1)
		w.Text()
		w.Texts()
	})
	w.Skip(1 + when(v >= 3, 1))
}

func shapeDeleteRecords(w *walk.Walker, _ int16) {
	w.Structs(func() {
		w.Text()
		w.Structs(func() { w.Skip(4 + 8) })
	})
	w.Skip(4)
}

func shapeOffsetCommit(w *walk.Walker, v int16) {
	w.Text()
	w.Skip(4)
	w.Text()
	if v >= 7 {
		w.Text()
	}
	w.Skip(when(v <= 4, 8))
	w.Structs(func() {
		w.Text()
		w.Structs(func() {
			w.Skip(4 + 8 + when(v >= 6, 4))
			w.Text()
		})
	})
}

func shapeOffsetFetch(w *walk.Walker, v int16) {
	topics := func() {
		w.Structs(func() {
			w.Text()
			w.Int32s()
		})
	}
	if v <= 7 {
		w.Text()
		topics()
	} else {
		w.Structs(func() {
			w.Text()
			topics()
		})
	}
	w.Skip(when(v >= 7, 1))
}

func shapeOffsetForLeaderEpoch(w *walk.Walker, v int16) {
	w.Skip(when(v >= 3, 4))
	w.Structs(func() {
		w.Text()
		w.Structs(func() { w.Skip(4 + 4 + 4) })
	})
}
