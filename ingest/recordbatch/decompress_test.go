package recordbatch_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
	"github.com/ovation-analytics/ovation/ingest/recordbatch/batchtest"
	"github.com/ovation-analytics/ovation/ingest/walk/walktest"
)

// What the libraries compress comes back, whatever capacity the destination has.
func TestDecompress_EveryCodecAtEveryCapacity(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{1, 1000, 200_000, 2 << 20} {
		plain := make([]byte, size)
		for i := range plain {
			plain[i] = "abcd"[r.IntN(4)]
		}
		inputs := map[string]struct {
			codec recordbatch.Codec
			in    []byte
		}{"xerial": {recordbatch.Snappy, batchtest.Xerial(plain, 32<<10)}}
		for _, codec := range []recordbatch.Codec{recordbatch.Gzip, recordbatch.Snappy, recordbatch.LZ4, recordbatch.Zstd} {
			inputs[codec.String()] = struct {
				codec recordbatch.Codec
				in    []byte
			}{codec, batchtest.Compress(codec, plain)}
		}
		for name, c := range inputs {
			for _, room := range []int{0, 10, size, 2*size + 100} {
				got, err := recordbatch.Decompress(c.codec, c.in, make([]byte, 0, room))
				if err != nil || !bytes.Equal(got, plain) {
					t.Fatalf("%s, %d bytes, room %d: %d came back, %v", name, size, room, len(got), err)
				}
			}
		}
	}
}

// No codec gives more than MaxDecompressed; what is no compressed data is an error.
func TestDecompress_IsBounded(t *testing.T) {
	plain := make([]byte, recordbatch.MaxDecompressed+1)
	twice := batchtest.Compress(recordbatch.Zstd, plain[:recordbatch.MaxDecompressed/2+1])
	for name, c := range map[string]struct {
		codec recordbatch.Codec
		in    []byte
	}{
		"gzip":        {recordbatch.Gzip, batchtest.Compress(recordbatch.Gzip, plain)},
		"snappy":      {recordbatch.Snappy, batchtest.Compress(recordbatch.Snappy, plain)},
		"xerial":      {recordbatch.Snappy, batchtest.Xerial(plain, 8<<20)},
		"lz4":         {recordbatch.LZ4, batchtest.Compress(recordbatch.LZ4, plain)},
		"zstd":        {recordbatch.Zstd, batchtest.Compress(recordbatch.Zstd, plain)},
		"zstd frames": {recordbatch.Zstd, slices.Concat(twice, twice)},
	} {
		if _, err := recordbatch.Decompress(c.codec, c.in, nil); err == nil || !strings.Contains(err.Error(), "grows beyond 64 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for codec, in := range map[recordbatch.Codec][]byte{recordbatch.Gzip: {1}, recordbatch.Snappy: append(batchtest.Xerial(nil, 1), 9), recordbatch.LZ4: {1, 2, 3, 4, 5}, recordbatch.Zstd: {1}, 5: {}} {
		if _, err := recordbatch.Decompress(codec, in, nil); err == nil {
			t.Errorf("%s: rubbish was read", codec)
		}
	}
}

// Whatever is packed in whatever codec: what was packed, or an error, and no more than a
// batch may grow to.
func FuzzDecompress_OriginalOrError(f *testing.F) {
	for _, codec := range []recordbatch.Codec{recordbatch.Gzip, recordbatch.Snappy, recordbatch.LZ4, recordbatch.Zstd} {
		f.Add(uint8(codec), batchtest.Compress(codec, bytes.Repeat([]byte("abc"), 100)))
	}
	f.Add(uint8(recordbatch.Snappy), batchtest.Xerial([]byte("some text, some text"), 7))
	f.Add(uint8(recordbatch.Snappy), binary.AppendUvarint(nil, 60<<20))
	f.Fuzz(func(t *testing.T, codec uint8, in []byte) {
		out, err := recordbatch.Decompress(recordbatch.Codec(codec), in, nil)
		if err == nil && len(out) > recordbatch.MaxDecompressed {
			t.Fatalf("%d bytes", len(out))
		}
		if again, err2 := recordbatch.Decompress(recordbatch.Codec(codec), in, make([]byte, 0, 100)); (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(out, again) {
			t.Fatalf("into memory with room it is another: %v, %v", err, err2)
		}
		if err == nil && len(out) > 0 && len(out) < 1<<20 && recordbatch.Codec(codec) != recordbatch.Snappy {
			back, err := recordbatch.Decompress(recordbatch.Codec(codec), batchtest.Compress(recordbatch.Codec(codec), out), nil)
			if err != nil || !bytes.Equal(back, out) {
				t.Fatalf("packed again it is another: %v", err)
			}
		}
	})
}

// A snappy length that the input cannot hold allocates nothing.
func TestDecompress_SnappyLengthThatCannotBeTrue(t *testing.T) {
	in := append(binary.AppendUvarint(nil, 60<<20), 1, 2, 3)
	walktest.Allocates(t, 1<<20, func() {
		if _, err := recordbatch.Decompress(recordbatch.Snappy, in, nil); err == nil {
			t.Error("decompressed")
		}
	})
}
