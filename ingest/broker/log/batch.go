package log

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// checkHeader reads a batch's header and checks all that is in it.
func checkHeader(b []byte) (h recordbatch.Header, err error) {
	if len(b) < recordbatch.HeaderSize {
		if len(b) > recordbatch.AtFormat && b[recordbatch.AtFormat] < recordbatch.Format {
			return h, UnsupportedFormat
		}
		return h, fmt.Errorf("%w: no record batch", InvalidRecord)
	}
	if format := b[recordbatch.AtFormat]; format != recordbatch.Format {
		return h, fmt.Errorf("%w: magic %d", UnsupportedFormat, format)
	}
	if size := recordbatch.Size(b); size != int64(len(b)) {
		if size >= recordbatch.HeaderSize && size < int64(len(b)) {
			return h, fmt.Errorf("%w: more than one batch", InvalidRecord)
		}
		return h, fmt.Errorf("%w: length", CorruptMessage)
	}
	if !recordbatch.Sound(b) {
		return h, fmt.Errorf("%w: checksum", CorruptMessage)
	}
	h = recordbatch.Parse(b)
	switch {
	case h.Attributes&recordbatch.Control != 0:
		return h, fmt.Errorf("%w: control batch", InvalidRecord)
	case h.Attributes&recordbatch.Transactional != 0:
		return h, InvalidTxnState
	case h.Count < 1 || h.LastDelta != h.Count-1:
		return h, fmt.Errorf("%w: %d records up to delta %d", InvalidRecord, h.Count, h.LastDelta)
	case h.Producer >= 0 && (h.ProducerEpoch < 0 || h.Sequence < 0):
		return h, fmt.Errorf("%w: producer without epoch or sequence", InvalidRecord)
	}
	return h, nil
}

// keepBuffer is the capacity up to which a buffer is kept for the next batch.
const keepBuffer = 4 << 20

// withRecords calls f with the records of a batch, decompressed and valid during the call. As
// many calls run at once as there are buffers: that bounds the memory of compressed batches.
func (l *Log) withRecords(b []byte, f func(records []byte) error) error {
	codec := recordbatch.Parse(b).Attributes.Codec()
	if codec > recordbatch.Zstd {
		return fmt.Errorf("%w: %s", UnsupportedCompression, codec)
	}
	in := b[recordbatch.HeaderSize:]
	if codec == recordbatch.None {
		return f(in)
	}
	buffer := <-l.buffers
	defer func() { l.buffers <- buffer }()
	records, err := recordbatch.Decompress(codec, in, buffer[:0])
	if err != nil {
		return fmt.Errorf("%w: decompressing: %w", InvalidRecord, err)
	}
	buffer = nil
	if cap(records) <= keepBuffer {
		buffer = records
	}
	return f(records)
}

// checkRecords reads all records of a batch and gives their latest time. Offsets must be dense
// and nothing may follow the last record.
func checkRecords(b []byte, h *recordbatch.Header) (latest int64, err error) {
	latest = math.MinInt64
	for i := range int64(h.Count) {
		r, rest, err := recordbatch.Next(b, true)
		if err != nil {
			return 0, fmt.Errorf("%w: lengths of record %d", InvalidRecord, i)
		}
		if r.OffsetDelta != i {
			return 0, fmt.Errorf("%w: offset of record %d", InvalidRecord, i)
		}
		t := h.FirstTime + r.TimeDelta
		if (t > h.FirstTime) != (r.TimeDelta > 0) {
			return 0, fmt.Errorf("%w: time of record %d", InvalidTimestamp, i)
		}
		latest = max(latest, t)
		b = rest
	}
	if len(b) > 0 {
		return 0, fmt.Errorf("%w: bytes behind the last record", InvalidRecord)
	}
	return latest, nil
}

// block is a stored batch: the fields of its key and value.
type block struct {
	base   int64
	next   int64 // base of the batch after it
	newest int64
	batch  []byte
}

// decodeBlock reads a block; the records in it are not looked at.
func decodeBlock(key, value []byte) (k block, err error) {
	if len(key) != partKeyLen+8 || len(value) < blockHead+recordbatch.HeaderSize || value[0] != valueVersion {
		return k, errDamaged
	}
	k.base = int64(binary.BigEndian.Uint64(key[partKeyLen:]))
	k.newest = int64(binary.BigEndian.Uint64(value[1:]))
	k.batch = value[blockHead:]
	h := recordbatch.Parse(k.batch)
	k.next = h.Last() + 1
	if h.Base != k.base || k.next <= k.base {
		return k, errDamaged
	}
	return k, nil
}
