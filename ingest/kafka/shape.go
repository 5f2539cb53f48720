package kafka

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/walk"
)

// fits reports that the body of an answer has the shape that it must have, so that what is
// decoded of it is bounded by its bytes. Like Kafka it does not mind bytes after it.
func fits(key int16, body []byte) bool {
	shape, ok := shapes[kmsg.Key(key)]
	if !ok {
		return false
	}
	w := walk.New(body, true, len(body))
	shape(&w)
	return !w.Bad()
}

// shapes are those of the answers in the versions spoken, all of them flexible.
var shapes = map[kmsg.Key]func(w *walk.Walker){
	kmsg.Produce: func(w *walk.Walker) {
		w.Structs(func() {
			w.Text()
			w.Array(func() {
				w.Skip(4 + 2 + 8 + 8 + 8)
				w.Structs(func() {
					w.Skip(4)
					w.Text()
				})
				w.Text()
				w.Tags(func(tag int, c *walk.Walker) {
					if tag == 0 {
						leader(c)
					}
				})
			})
		})
		w.Skip(4)
		w.Tags(endpoints)
	},
	kmsg.Fetch: func(w *walk.Walker) {
		w.Skip(4 + 2 + 4)
		w.Structs(func() {
			w.Skip(16)
			w.Array(func() {
				w.Skip(4 + 2 + 8 + 8 + 8)
				w.Structs(func() { w.Skip(8 + 8) })
				w.Skip(4)
				w.Blob()
				w.Tags(func(tag int, c *walk.Walker) {
					switch tag {
					case 0, 2: // an epoch and an offset, either way
						c.Skip(4 + 8)
						c.Tags(nil)
					case 1:
						leader(c)
					}
				})
			})
		})
		w.Tags(endpoints)
	},
	kmsg.ListOffsets: func(w *walk.Walker) {
		w.Skip(4)
		topics(w, func() { w.Skip(4 + 2 + 8 + 8 + 4) })
	},
	kmsg.Metadata: func(w *walk.Walker) {
		w.Skip(4)
		w.Structs(func() {
			w.Skip(4)
			w.Text()
			w.Skip(4)
			w.Text()
		})
		w.Text()
		w.Skip(4)
		w.Structs(func() {
			w.Skip(2)
			w.Text()
			w.Skip(16 + 1)
			w.Structs(func() {
				w.Skip(2 + 4 + 4 + 4)
				w.Int32s()
				w.Int32s()
				w.Int32s()
			})
			w.Skip(4)
		})
		w.Tags(nil)
	},
	kmsg.OffsetCommit: func(w *walk.Walker) {
		w.Skip(4)
		topics(w, func() { w.Skip(4 + 2) })
	},
	kmsg.OffsetFetch: func(w *walk.Walker) {
		w.Skip(4)
		w.Structs(func() {
			w.Text()
			w.Structs(func() {
				w.Skip(4 + 8 + 4)
				w.Text()
				w.Skip(2)
			})
		})
		w.Skip(2)
		w.Tags(nil)
	},
	kmsg.FindCoordinator: func(w *walk.Walker) {
		w.Skip(4 + 2)
		w.Text()
		w.Skip(4)
		w.Text()
		w.Skip(4)
		w.Tags(nil)
	},
	kmsg.CreateTopics: func(w *walk.Walker) {
		w.Skip(4)
		w.Array(func() {
			w.Text()
			w.Skip(2)
			w.Text()
			w.Skip(4 + 2)
			w.Structs(func() {
				w.Text()
				w.Text()
				w.Skip(1 + 1 + 1)
			})
			w.Tags(func(tag int, c *walk.Walker) {
				if tag == 0 {
					c.Skip(2)
				}
			})
		})
		w.Tags(nil)
	},
	kmsg.DeleteRecords: func(w *walk.Walker) {
		w.Skip(4)
		topics(w, func() { w.Skip(4 + 8 + 2) })
	},
	kmsg.InitProducerID: func(w *walk.Walker) {
		w.Skip(4 + 2 + 8 + 2)
		w.Tags(nil)
	},
	kmsg.OffsetForLeaderEpoch: func(w *walk.Walker) {
		w.Skip(4)
		topics(w, func() { w.Skip(2 + 4 + 4 + 8) })
	},
	kmsg.DescribeConfigs: func(w *walk.Walker) {
		w.Skip(4)
		w.Structs(func() {
			w.Skip(2)
			w.Text()
			w.Skip(1)
			w.Text()
			w.Structs(func() {
				w.Text()
				w.Text()
				w.Skip(1 + 1 + 1)
				w.Structs(func() {
					w.Text()
					w.Text()
					w.Skip(1)
				})
				w.Skip(1)
				w.Text()
			})
		})
		w.Tags(nil)
	},
}

// topics passes topics by name with partitions, which end an answer.
func topics(w *walk.Walker, partition func()) {
	w.Structs(func() {
		w.Text()
		w.Structs(partition)
	})
	w.Tags(nil)
}

// leader passes a leader and its epoch.
func leader(c *walk.Walker) {
	c.Skip(4 + 4)
	c.Tags(nil)
}

// endpoints passes the addresses of brokers, which newer brokers send unasked.
func endpoints(tag int, c *walk.Walker) {
	if tag != 0 {
		return
	}
	c.Structs(func() {
		c.Skip(4)
		c.Text()
		c.Skip(4)
		c.Text()
	})
}
