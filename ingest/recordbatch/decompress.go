package recordbatch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// MaxDecompressed bounds what the records of one batch may grow to: a batch of a megabyte can
// claim anything.
const MaxDecompressed = 64 << 20

var errTooLarge = errors.New("grows beyond 64 MiB")

// Decompressors have much memory and no state between batches: all callers share them.
var (
	lz4Readers  = sync.Pool{New: func() any { return lz4.NewReader(nil) }}
	gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}
	zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MaxDecompressed))
		if err != nil {
			panic(err) // constant options
		}
		return d
	})
)

// Decompress appends what in holds to dst, which is empty and may have capacity: at most
// MaxDecompressed bytes. Without a codec it is in itself.
func Decompress(codec Codec, in, dst []byte) ([]byte, error) {
	switch codec {
	case None:
		return in, nil
	case Gzip:
		z := gzipReaders.Get().(*gzip.Reader)
		defer gzipReaders.Put(z)
		if err := z.Reset(bytes.NewReader(in)); err != nil {
			return nil, err
		}
		return readAll(z, dst)
	case Snappy:
		return decompressSnappy(in, dst)
	case LZ4:
		z := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(z)
		defer z.Reset(nil)
		z.Reset(bytes.NewReader(in))
		return readAll(z, dst)
	case Zstd:
		d, err := zstdDecoder().DecodeAll(in, dst)
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errTooLarge
		}
		return d, err
	}
	return nil, fmt.Errorf("unknown %s", codec)
}

// minGrow is the capacity that is added at least where a guess was too small: most batches
// are a few records.
const minGrow = 4 << 10

// readAll appends what r gives to dst.
func readAll(r io.Reader, dst []byte) ([]byte, error) {
	for idle := 0; ; {
		if len(dst) == cap(dst) {
			dst = slices.Grow(dst, max(len(dst), minGrow))
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), MaxDecompressed+1)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > MaxDecompressed:
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return dst, nil
		case err != nil:
			return nil, err
		case n > 0:
			idle = 0
		default:
			if idle++; idle > 100 {
				return nil, io.ErrNoProgress
			}
		}
	}
}

// xerial begins what the Java client writes: 8 bytes, two versions of 4 bytes, then
// blocks, each after its length. Without it the whole is one block.
var xerial = []byte{130, 83, 78, 65, 80, 80, 89, 0}

func decompressSnappy(in, dst []byte) ([]byte, error) {
	if !bytes.HasPrefix(in, xerial) || len(in) < 16 {
		return snappyBlock(in, dst)
	}
	for in = in[16:]; len(in) > 0; {
		if len(in) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		n := int(int32(binary.BigEndian.Uint32(in)))
		if n < 0 || n > len(in)-4 {
			return nil, io.ErrUnexpectedEOF
		}
		var err error
		if dst, err = snappyBlock(in[4:4+n], dst); err != nil {
			return nil, err
		}
		in = in[4+n:]
	}
	return dst, nil
}

// maxSnappyRatio is how much a byte of snappy grows at most.
const maxSnappyRatio = 64

func snappyBlock(in, dst []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(in)
	if err != nil {
		return nil, err
	}
	at := len(dst)
	switch {
	case n > MaxDecompressed-at:
		return nil, errTooLarge
	case n > maxSnappyRatio*len(in):
		return nil, snappy.ErrCorrupt
	}
	if cap(dst)-at < n {
		dst = slices.Grow(dst, max(n, cap(dst)))
	}
	dst = dst[:at+n]
	if _, err := snappy.Decode(dst[at:], in); err != nil {
		return nil, err
	}
	return dst, nil
}
