package log

import (
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

// unpacker takes batches apart. It holds buffers, as many as compressed batches may be read at
// once: that bounds their memory.
type unpacker chan []byte

func newUnpacker(buffers int) unpacker {
	u := make(unpacker, buffers)
	for range buffers {
		u <- nil
	}
	return u
}

// check parses a batch down to the lengths of its records, and sets its max time
// right.
func (u unpacker) check(batch []byte, appendTime bool) (recordbatch.Header, error) {
	h, err := checkHeader(batch)
	if err != nil {
		return h, err
	}
	if !appendTime && h.Attributes&recordbatch.LogAppendTime != 0 {
		return h, InvalidTimestamp
	}
	latest := int64(0)
	err = u.records(batch, func(records []byte) (err error) {
		latest, err = checkRecords(records, &h)
		return err
	})
	if err != nil {
		return h, err
	}
	if !appendTime && latest != h.MaxTime {
		h.MaxTime = latest
		recordbatch.SetMaxTime(batch, latest, false)
	}
	return h, nil
}

// records calls f with the records of a batch, decompressed and valid during the call.
func (u unpacker) records(b []byte, f func(records []byte) error) error {
	codec := recordbatch.Parse(b).Attributes.Codec()
	if codec > recordbatch.Zstd {
		return fmt.Errorf("%w: %s", UnsupportedCompression, codec)
	}
	in := b[recordbatch.HeaderSize:]
	if codec == recordbatch.None {
		return f(in)
	}
	buffer := <-u
	defer func() { u <- buffer }()
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
