package log

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

func TestCheck_ReadsEveryCodec(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	for codec := range xerial + 1 {
		b := built{codec: codec, producer: -1, times: []int64{100, 90, 300, 200}, values: []string{"a", strings.Repeat("b", 5000), "", "d"}}.batch()
		h, err := l.unpack.check(b, false)
		if err != nil {
			t.Fatalf("%s: %v", codec, err)
		}
		if h.MaxTime != 300 || h.Count != 4 {
			t.Fatalf("%s: %+v", codec, h)
		}
	}
}

func TestCheck_CorrectsMaxTime(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	b := built{producer: -1, times: []int64{100, 300, 200}}.batch()
	want := bytes.Clone(b)
	binary.BigEndian.PutUint64(b[recordbatch.AtMaxTime:], 7)
	if _, err := l.unpack.check(sealed(b), false); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, want) {
		t.Fatal("the batch differs from one with the right max time")
	}
}

// spoilt is a batch of three records, and how it is spoilt.
var spoilt = map[string]struct {
	spoil func(b []byte) []byte
	want  Code
}{
	"empty":              {func([]byte) []byte { return nil }, InvalidRecord},
	"header only":        {func(b []byte) []byte { return b[:recordbatch.HeaderSize] }, CorruptMessage},
	"cut":                {func(b []byte) []byte { return b[:len(b)-1] }, CorruptMessage},
	"length of zero":     {func(b []byte) []byte { binary.BigEndian.PutUint32(b[recordbatch.AtLength:], 0); return b }, CorruptMessage},
	"negative length":    {func(b []byte) []byte { binary.BigEndian.PutUint32(b[recordbatch.AtLength:], 1<<31); return b }, CorruptMessage},
	"two batches":        {func(b []byte) []byte { return append(b, b...) }, InvalidRecord},
	"old format":         {func(b []byte) []byte { b[recordbatch.AtFormat] = 1; return b }, UnsupportedFormat},
	"short old format":   {func(b []byte) []byte { b[recordbatch.AtFormat] = 0; return b[:30] }, UnsupportedFormat},
	"flipped bit":        {func(b []byte) []byte { b[len(b)-1] ^= 1; return b }, CorruptMessage},
	"control":            {attrs(recordbatch.Control), InvalidRecord},
	"transactional":      {attrs(recordbatch.Transactional), InvalidTxnState},
	"append time":        {attrs(recordbatch.LogAppendTime), InvalidTimestamp},
	"unknown codec":      {attrs(7), UnsupportedCompression},
	"gzip that is none":  {attrs(1), InvalidRecord},
	"snappy that is not": {attrs(2), InvalidRecord},
	"lz4 that is none":   {attrs(3), InvalidRecord},
	"zstd that is none":  {attrs(4), InvalidRecord},
	"no records":         {counts32(0, -1), InvalidRecord},
	"negative records":   {counts32(-1, -2), InvalidRecord},
	"too few records":    {counts32(2, 1), InvalidRecord},
	"too many records":   {counts32(4, 3), InvalidRecord},
	"most records":       {counts32(math.MaxInt32, math.MaxInt32-1), InvalidRecord},
	"delta beside count": {counts32(3, 3), InvalidRecord},
	"no producer epoch": {func(b []byte) []byte {
		clear(b[recordbatch.AtProducer:recordbatch.AtProducerEpoch])
		b[recordbatch.AtProducerEpoch] = 0xff
		return sealed(b)
	}, InvalidRecord},
	"time overflows": {func(b []byte) []byte {
		binary.BigEndian.PutUint64(b[recordbatch.AtFirstTime:], math.MaxInt64)
		return sealed(b)
	}, InvalidTimestamp},
	"bytes behind":     {body(func(r []byte) []byte { return append(r, 0) }), InvalidRecord},
	"record length":    {body(func(r []byte) []byte { r[0] += 2; return r }), InvalidRecord},
	"negative record":  {body(func(r []byte) []byte { r[0] = 1; return r }), InvalidRecord},
	"offset delta":     {body(func(r []byte) []byte { r[3] += 2; return r }), InvalidRecord},
	"key length":       {body(func(r []byte) []byte { r[4] = 0x7e; return r }), InvalidRecord},
	"key length -2":    {body(func(r []byte) []byte { r[4] = 3; return r }), InvalidRecord},
	"value length":     {body(func(r []byte) []byte { r[5] += 2; return r }), InvalidRecord},
	"header count":     {body(func(r []byte) []byte { r[11] = 4; return r }), InvalidRecord},
	"negative headers": {body(func(r []byte) []byte { r[11] = 1; return r }), InvalidRecord},
	"null header key":  {body(func(r []byte) []byte { r[12] = 1; return r }), InvalidRecord},
	"endless varint":   {body(func(r []byte) []byte { return bytes.Repeat([]byte{0xff}, len(r)) }), InvalidRecord},
}

func attrs(a recordbatch.Attributes) func([]byte) []byte {
	return func(b []byte) []byte {
		binary.BigEndian.PutUint16(b[recordbatch.AtAttributes:], uint16(a))
		return sealed(b)
	}
}

func counts32(n, last int32) func([]byte) []byte {
	return func(b []byte) []byte {
		binary.BigEndian.PutUint32(b[recordbatch.AtCount:], uint32(n))
		binary.BigEndian.PutUint32(b[recordbatch.AtLastDelta:], uint32(last))
		return sealed(b)
	}
}

// body changes the records and sets length and checksum right.
func body(f func([]byte) []byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b = append(b[:recordbatch.HeaderSize:recordbatch.HeaderSize], f(bytes.Clone(b[recordbatch.HeaderSize:]))...)
		binary.BigEndian.PutUint32(b[recordbatch.AtLength:], uint32(len(b)-12))
		return sealed(b)
	}
}

func TestCheck_RefusesDamagedBatches(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	id := created(t, l, "t", 1)
	for name, d := range spoilt {
		t.Run(name, func(t *testing.T) {
			b := d.spoil(built{producer: -1, times: []int64{100, 101, 102}}.batch())
			_, _, _, err := part(t, l, id, 0).Append(b)
			wantCode(t, err, d.want)
		})
	}
	if _, end, err := part(t, l, id, 0).Bounds(); err != nil || end != 0 {
		t.Fatalf("end %d, %v", end, err)
	}
}

// A batch that grows beyond the bound is refused, and no large buffer is kept.
func TestCheck_BoundsDecompression(t *testing.T) {
	l := opened(t, vfs.NewMem(), Options{})
	huge := built{codec: recordbatch.Snappy, producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", recordbatch.MaxDecompressed)}}.batch()
	_, err := l.unpack.check(huge, false)
	wantCode(t, err, InvalidRecord)
	large := built{codec: recordbatch.Snappy, producer: -1, times: []int64{1}, values: []string{strings.Repeat("x", 2*keepBuffer)}}.batch()
	for range cap(l.unpack) {
		if _, err := l.unpack.check(large, false); err != nil {
			t.Fatal(err)
		}
	}
	for range cap(l.unpack) {
		b := <-l.unpack
		if cap(b) > keepBuffer {
			t.Errorf("kept %d bytes", cap(b))
		}
		l.unpack <- b
	}
}

func FuzzCheck(f *testing.F) {
	for codec := range xerial + 1 {
		f.Add(built{codec: codec, producer: -1, times: []int64{100, 90, 300}}.batch(), true)
	}
	for _, d := range spoilt {
		f.Add(d.spoil(built{producer: -1, times: []int64{100, 101, 102}}.batch()), false)
	}
	l := opened(f, vfs.NewMem(), Options{})
	f.Fuzz(func(t *testing.T, b []byte, repair bool) {
		b = bytes.Clone(b)
		if repair && len(b) >= recordbatch.HeaderSize {
			binary.BigEndian.PutUint32(b[recordbatch.AtLength:], uint32(len(b)-12))
			sealed(b)
		}
		h, err := l.unpack.check(b, false)
		if err != nil {
			return
		}
		// The naive reading: one varint after another, as a consumer would.
		body, err := recordbatch.Decompress(h.Attributes.Codec(), b[recordbatch.HeaderSize:], nil)
		if err != nil {
			t.Fatal(err)
		}
		r := bytes.NewReader(body)
		for range h.Count {
			n, err := binary.ReadVarint(r)
			if err != nil {
				t.Fatal(err)
			}
			before := r.Len()
			r.ReadByte()
			binary.ReadVarint(r)
			binary.ReadVarint(r)
			for range 2 {
				if l, err := binary.ReadVarint(r); err != nil {
					t.Fatal(err)
				} else if l > 0 {
					r.Seek(l, 1)
				}
			}
			headers, _ := binary.ReadVarint(r)
			for range 2 * headers {
				if l, err := binary.ReadVarint(r); err != nil {
					t.Fatal(err)
				} else if l > 0 {
					r.Seek(l, 1)
				}
			}
			if int64(before-r.Len()) != n {
				t.Fatalf("record of %d bytes took %d", n, before-r.Len())
			}
		}
		if r.Len() != 0 {
			t.Fatal("bytes left")
		}
	})
}
