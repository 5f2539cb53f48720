package recordbatch_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
)

// Every field is where another client's decoder finds it, and is parsed as it was put.
func TestHeader_FieldsAreWhereKafkaHasThem(t *testing.T) {
	b := make([]byte, recordbatch.HeaderSize+3)
	h := recordbatch.Header{
		Base: 1 << 40, LastDelta: 6, Epoch: 9, Attributes: recordbatch.Control | recordbatch.Attributes(recordbatch.Zstd),
		FirstTime: 1 << 41, MaxTime: 1 << 42, Producer: 1 << 43, ProducerEpoch: 5, Sequence: 77, Count: 7,
	}
	h.Put(b)
	if got := recordbatch.Parse(b); got != h || got.Last() != 1<<40+6 || got.Attributes.Codec() != recordbatch.Zstd {
		t.Errorf("parsed %+v", got)
	}
	if !recordbatch.Sound(b) || recordbatch.Size(b) != int64(len(b)) {
		t.Errorf("sound %v, size %d", recordbatch.Sound(b), recordbatch.Size(b))
	}
	var got kmsg.RecordBatch
	if err := got.ReadFrom(b); err != nil {
		t.Fatal(err)
	}
	want := kmsg.RecordBatch{
		FirstOffset: 1 << 40, Length: int32(len(b) - 12), PartitionLeaderEpoch: 9, Magic: 2, CRC: got.CRC, Attributes: 0x24, LastOffsetDelta: 6,
		FirstTimestamp: 1 << 41, MaxTimestamp: 1 << 42, ProducerID: 1 << 43, ProducerEpoch: 5, FirstSequence: 77, NumRecords: 7, Records: make([]byte, 3),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Placing a batch keeps its checksum; setting its time computes a new one; a lost batch has
// none that matches.
func TestHeader_Checksum(t *testing.T) {
	b := batchtest.Batch(5, []byte("a"), nil)
	recordbatch.Place(b, 100, 3)
	if h := recordbatch.Parse(b); !recordbatch.Sound(b) || h.Base != 100 || h.Epoch != 3 {
		t.Errorf("placed: %+v", h)
	}
	recordbatch.SetMaxTime(b, 9, true)
	if h := recordbatch.Parse(b); !recordbatch.Sound(b) || h.MaxTime != 9 || h.Attributes != recordbatch.LogAppendTime {
		t.Errorf("with a time: %+v", h)
	}
	b[len(b)-1] ^= 1
	if recordbatch.Sound(b) {
		t.Error("a flipped bit is not seen")
	}
	lost := recordbatch.Lost(7, 11, 2)
	if h := recordbatch.Parse(lost); recordbatch.Sound(lost) || h.Base != 7 || h.Last() != 11 || h.Epoch != 2 || h.Count != 0 {
		t.Errorf("lost: %+v", h)
	}
}

// A record is read whole or refused; a length below −1 is a null unless the reader is strict.
func TestNext_WholeRecordOrError(t *testing.T) {
	record := func(fields ...int64) []byte {
		r := []byte{0}
		for _, f := range fields {
			r = binary.AppendVarint(r, f)
		}
		return append(binary.AppendVarint(nil, int64(len(r))), r...)
	}
	for _, c := range []struct {
		name            string
		b               []byte
		lenient, strict bool
	}{
		{"nulls", record(1, 2, -1, -1, 0), true, true},
		{"a length below −1", record(1, 2, -2, -1, 0), true, false},
		{"empty", nil, false, false},
		{"a key beyond the record", record(1, 2, 50, -1, 0), false, false},
		{"a header without a key", record(1, 2, -1, -1, 1, -1, -1), false, false},
		{"a header", record(1, 2, -1, -1, 1, 0, -1), true, true},
		{"more headers than bytes", record(1, 2, -1, -1, 1<<40), false, false},
		{"bytes behind the headers", record(1, 2, -1, -1, 0, 0), false, false},
		{"cut off", record(1, 2, -1, -1, 0)[:4], false, false},
	} {
		for _, strict := range []bool{false, true} {
			r, rest, err := recordbatch.Next(append(bytes.Clone(c.b), "rest"...)[:len(c.b):len(c.b)], strict)
			want := c.lenient && !strict || c.strict && strict
			if (err == nil) != want || want && (len(rest) > 0 || r.TimeDelta != 1 || r.OffsetDelta != 2 || r.Key != nil) {
				t.Errorf("%s, strict %v: %+v, %v", c.name, strict, r, err)
			}
		}
	}
}
