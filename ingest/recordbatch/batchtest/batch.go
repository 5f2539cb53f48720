package batchtest

import (
	"encoding/binary"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Batch is a record batch of the values, without keys and headers, as a producer without
// idempotence sends it; ms is the time of all, since 1970. A nil value is a null.
func Batch(ms int64, values ...[]byte) []byte {
	b := make([]byte, recordbatch.HeaderSize)
	for i, v := range values {
		r := binary.AppendVarint([]byte{0, 0}, int64(i))
		r = binary.AppendVarint(r, -1) // no key
		if v == nil {
			r = binary.AppendVarint(r, -1)
		} else {
			r = append(binary.AppendVarint(r, int64(len(v))), v...)
		}
		r = binary.AppendVarint(r, 0) // no headers
		b = append(binary.AppendVarint(b, int64(len(r))), r...)
	}
	h := recordbatch.Header{
		LastDelta: int32(len(values) - 1), Epoch: -1, FirstTime: ms, MaxTime: ms,
		Producer: -1, ProducerEpoch: -1, Sequence: -1, Count: int32(len(values)),
	}
	h.Put(b)
	return b
}
