package kafka

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/ovation-analytics/ovation/ingest/recordbatch"
)

// Codec is how the records of a batch are compressed.
type Codec = recordbatch.Codec

// Codecs. All can be read; None, LZ4 and Zstd can be written.
const (
	None   = recordbatch.None
	Gzip   = recordbatch.Gzip
	Snappy = recordbatch.Snappy
	LZ4    = recordbatch.LZ4
	Zstd   = recordbatch.Zstd
)

// writable reports that batches can be written with it.
func writable(c Codec) bool { return c == None || c == LZ4 || c == Zstd }

// lz4Compressors have much memory and no state between batches.
var lz4Compressors = sync.Pool{New: func() any { return new(lz4.Compressor) }}

// zstdEncoder is used by all producers; encoding at once starts no goroutine.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // constant options
	}
	return e
})

// lz4Header begins a frame of independent blocks of 64 KiB without checksums, which
// the batch has one of: magic number, flags, block size, and the checksum of these.
var lz4Header = [...]byte{0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82}

const lz4Block = 64 << 10

// stored marks a block that did not get smaller.
const stored = 1 << 31

// appendLZ4 appends src as one frame. Frames are written here because the
// library's writer allocates for blocks of 4 MiB, again for every batch.
func appendLZ4(dst, src []byte) ([]byte, error) {
	z := lz4Compressors.Get().(*lz4.Compressor)
	defer lz4Compressors.Put(z)
	dst = append(dst, lz4Header[:]...)
	for len(src) > 0 {
		block := src[:min(len(src), lz4Block)]
		src = src[len(block):]
		at := len(dst)
		dst = append(dst, 0, 0, 0, 0)
		dst = grow(dst, lz4.CompressBlockBound(len(block)))
		n, err := z.CompressBlock(block, dst[at+4:cap(dst)])
		if err != nil {
			return nil, fmt.Errorf("lz4: %w", err)
		}
		if n == 0 || n >= len(block) {
			binary.LittleEndian.PutUint32(dst[at:], uint32(len(block))|stored)
			dst = append(dst[:at+4], block...)
			continue
		}
		binary.LittleEndian.PutUint32(dst[at:], uint32(n))
		dst = dst[:at+4+n]
	}
	return append(dst, 0, 0, 0, 0), nil
}
