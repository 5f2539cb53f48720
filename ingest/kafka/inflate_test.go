package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// lz4Size is a block size to write a frame with, a small one for a small input.
func lz4Size(n int) lz4.BlockSize {
	switch {
	case n < 10_000:
		return lz4.Block64Kb
	case n < 1<<20:
		return lz4.Block256Kb
	}
	return lz4.Block4Mb
}

// deflated is plain in any codec, written by the libraries with their own defaults.
func deflated(t testing.TB, codec Codec, plain []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch codec {
	case Gzip:
		w = gzip.NewWriter(&b)
	case Snappy:
		return s2.EncodeSnappy(nil, plain)
	case LZ4:
		z := lz4.NewWriter(&b)
		err = z.Apply(lz4.BlockSizeOption(lz4Size(len(plain))))
		w = z
	case Zstd:
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		return plain
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed is an uncompressed batch in another codec.
func packed(t testing.TB, codec Codec, batch []byte) []byte {
	t.Helper()
	b := append(slices.Clone(batch[:headerSize]), deflated(t, codec, batch[headerSize:])...)
	be.PutUint32(b[atLength:], uint32(len(b)-atEpoch))
	be.PutUint16(b[atAttributes:], uint16(codec))
	return signed(b)
}

// xerialFramed is what the Java client writes.
func xerialFramed(plain []byte, block int) []byte {
	b := append(slices.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1)
	for part := range slices.Chunk(plain, block) {
		z := s2.EncodeSnappy(nil, part)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(z))), z...)
	}
	return b
}

func TestInflateUndoesEveryCodecWhateverRoomThereIs(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, size := range []int{1, 1000, 200_000, 2 << 20} {
		plain := make([]byte, size)
		for i := range plain {
			plain[i] = "abcd"[r.IntN(4)]
		}
		inputs := map[string]struct {
			codec Codec
			in    []byte
		}{"xerial": {Snappy, xerialFramed(plain, 32<<10)}}
		for _, codec := range []Codec{Gzip, Snappy, LZ4, Zstd} {
			inputs[codec.String()] = struct {
				codec Codec
				in    []byte
			}{codec, deflated(t, codec, plain)}
		}
		for name, c := range inputs {
			for _, room := range []int{0, 10, size, 2*size + 100} {
				got, err := inflate(c.codec, c.in, make([]byte, 0, room))
				if err != nil || !bytes.Equal(got, plain) {
					t.Fatalf("%s, %d bytes, room %d: %d came back, %v", name, size, room, len(got), err)
				}
			}
		}
	}
}

func TestInflateStopsAtItsLimit(t *testing.T) {
	plain := make([]byte, maxInflate+1)
	twice := deflated(t, Zstd, plain[:maxInflate/2+1])
	for name, c := range map[string]struct {
		codec Codec
		in    []byte
	}{
		"gzip":        {Gzip, deflated(t, Gzip, plain)},
		"snappy":      {Snappy, deflated(t, Snappy, plain)},
		"xerial":      {Snappy, xerialFramed(plain, 8<<20)},
		"lz4":         {LZ4, deflated(t, LZ4, plain)},
		"zstd":        {Zstd, deflated(t, Zstd, plain)},
		"zstd frames": {Zstd, slices.Concat(twice, twice)},
	} {
		if _, err := inflate(c.codec, c.in, nil); !errors.Is(err, errInflate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for codec, in := range map[Codec][]byte{Gzip: {1}, Snappy: append(slices.Clone(xerial), 0, 0, 0, 1, 0, 0, 0, 1, 9), LZ4: {1, 2, 3, 4, 5}, Zstd: {1}, 5: {}} {
		if _, err := inflate(codec, in, nil); err == nil {
			t.Errorf("%s: rubbish was read", codec)
		}
	}
}
