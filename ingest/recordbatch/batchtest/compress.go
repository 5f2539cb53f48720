package batchtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Compress is plain in a codec, written by its library with the library's defaults. It panics
// where the library fails.
func Compress(codec recordbatch.Codec, plain []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch codec {
	case recordbatch.Gzip:
		w = gzip.NewWriter(&b)
	case recordbatch.Snappy:
		return snappy.Encode(nil, plain)
	case recordbatch.LZ4:
		z := lz4.NewWriter(&b)
		err = z.Apply(lz4.BlockSizeOption(lz4Block(len(plain))))
		w = z
	case recordbatch.Zstd:
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		return plain
	}
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// lz4Block is a block size for a frame, a small one for a small input.
func lz4Block(n int) lz4.BlockSize {
	switch {
	case n < 10_000:
		return lz4.Block64Kb
	case n < 1<<20:
		return lz4.Block256Kb
	}
	return lz4.Block4Mb
}

// Xerial is plain in the framing that the Java client puts around snappy, in blocks of so many
// bytes.
func Xerial(plain []byte, block int) []byte {
	b := append([]byte("\x82SNAPPY\x00"), 0, 0, 0, 1, 0, 0, 0, 1)
	for part := range slices.Chunk(plain, block) {
		z := snappy.Encode(nil, part)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(z))), z...)
	}
	return b
}
