package batchtest

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Where a batch of magic 2 has what a producer fills in last.
const (
	atLength = 8
	atCRC    = 17
	atAttrs  = 21
)

// Batch is a record batch of the values, without keys and headers, as a producer without
// idempotence sends it; ms is the time of all, since 1970. A nil value is a null.
func Batch(ms int64, values ...[]byte) []byte {
	b := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1, Magic: 2, LastOffsetDelta: int32(len(values) - 1), FirstTimestamp: ms, MaxTimestamp: ms,
		ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1, NumRecords: int32(len(values)),
	}
	for i, v := range values {
		r := binary.AppendVarint([]byte{0, 0}, int64(i))
		r = binary.AppendVarint(r, -1) // no key
		if v == nil {
			r = binary.AppendVarint(r, -1)
		} else {
			r = append(binary.AppendVarint(r, int64(len(v))), v...)
		}
		r = binary.AppendVarint(r, 0) // no headers
		b.Records = append(binary.AppendVarint(b.Records, int64(len(r))), r...)
	}
	out := b.AppendTo(nil)
	binary.BigEndian.PutUint32(out[atLength:], uint32(len(out)-12))
	binary.BigEndian.PutUint32(out[atCRC:], crc32.Checksum(out[atAttrs:], crc32.MakeTable(crc32.Castagnoli)))
	return out
}
