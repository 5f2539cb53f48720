package kafka

import (
	"iter"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
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
	return recordbatch.Headers{Count: r.count, Bytes: r.headers}.All()
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
	for k, v := range r.Headers() {
		if string(k) == key {
			value = v
			ok = true
		}
	}
	return value, ok
}
