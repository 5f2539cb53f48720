package log

import (
	"encoding/binary"
	"fmt"
	"math"
)

// nextRecord reads the lengths of one record and gives its time relative to the
// batch's first, its offset relative to the base, and what follows it. A record is
//
//	length varint │ attributes i8 │ time delta varint │ offset delta varint
//	│ key length varint, key │ value length varint, value │ n varint │ n × header (key, value)
//
// and ok is false unless all of it fits exactly; lengths of -1 stand for null, which
// a header's key cannot be.
func nextRecord(b []byte) (timeDelta, offsetDelta int64, rest []byte, ok bool) {
	n, k := varint(b)
	if k <= 0 || n < 1 || n > int64(len(b)-k) {
		return 0, 0, nil, false
	}
	r, rest := b[k+1:k+int(n)], b[k+int(n):] // behind the attributes, which are not used
	if timeDelta, k = varint(r); k <= 0 {
		return 0, 0, nil, false
	}
	r = r[k:]
	if offsetDelta, k = varint(r); k <= 0 {
		return 0, 0, nil, false
	}
	if r, ok = skipBytes(r[k:], -1); !ok {
		return 0, 0, nil, false
	}
	if r, ok = skipBytes(r, -1); !ok {
		return 0, 0, nil, false
	}
	headers, k := varint(r)
	if k <= 0 || headers < 0 {
		return 0, 0, nil, false
	}
	for r = r[k:]; headers > 0; headers-- { // each takes two bytes at least, or fails
		if r, ok = skipBytes(r, 0); !ok {
			return 0, 0, nil, false
		}
		if r, ok = skipBytes(r, -1); !ok {
			return 0, 0, nil, false
		}
	}
	return timeDelta, offsetDelta, rest, len(r) == 0
}

// skipBytes passes a length of at least least, and so many bytes.
func skipBytes(b []byte, least int64) ([]byte, bool) {
	n, k := varint(b)
	if k <= 0 || n < least || n > int64(len(b)-k) {
		return nil, false
	}
	return b[k+int(max(n, 0)):], true
}

// varint is binary.Varint with the usual case, one byte, in line.
func varint(b []byte) (int64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return int64(b[0]>>1) ^ -int64(b[0]&1), 1
	}
	return binary.Varint(b)
}

// checkRecords walks all records of a batch and gives their latest time. Offsets
// must be dense and nothing may follow the last record.
func checkRecords(body []byte, count int32, first int64) (latest int64, err error) {
	latest = math.MinInt64
	for i := range int64(count) {
		dt, do, rest, ok := nextRecord(body)
		if !ok {
			return 0, fmt.Errorf("%w: lengths of record %d", InvalidRecord, i)
		}
		if do != i {
			return 0, fmt.Errorf("%w: offset of record %d", InvalidRecord, i)
		}
		t := first + dt
		if (t > first) != (dt > 0) {
			return 0, fmt.Errorf("%w: time of record %d", InvalidTimestamp, i)
		}
		latest = max(latest, t)
		body = rest
	}
	if len(body) > 0 {
		return 0, fmt.Errorf("%w: bytes behind the last record", InvalidRecord)
	}
	return latest, nil
}

// firstAt is the first record at or after a time and at or above an offset delta.
func firstAt(body []byte, count int32, first, ms, least int64) (delta, t int64, found bool) {
	for range count {
		dt, do, rest, ok := nextRecord(body)
		if !ok {
			return 0, 0, false
		}
		if do >= least && first+dt >= ms {
			return do, first + dt, true
		}
		body = rest
	}
	return 0, 0, false
}
