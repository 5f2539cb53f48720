package log

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	maxInflated = 64 << 20 // what one batch may grow to
	keepBuffer  = 4 << 20  // a larger buffer is not kept for the next batch
)

var errInflated = errors.New("grows beyond 64 MiB")

// inflater decompresses batches, one at a time. There are as many as may work at
// once, which bounds the memory that compressed batches can ask for.
type inflater struct {
	buf  []byte
	src  bytes.Reader
	gzip *gzip.Reader
	lz4  *lz4.Reader
	zstd *zstd.Decoder
}

// body is the records of a batch, decompressed; it is valid until the next call.
func (z *inflater) body(batch []byte) ([]byte, error) {
	in := batch[atRecords:]
	codec := binary.BigEndian.Uint16(batch[atAttrs:]) & attrCodec
	if codec == 0 {
		return in, nil
	}
	if cap(z.buf) > keepBuffer {
		z.buf = nil
	}
	var err error
	switch codec {
	case 1:
		err = z.inflateGzip(in)
	case 2:
		err = z.inflateSnappy(in)
	case 3:
		if z.lz4 == nil {
			z.lz4 = lz4.NewReader(nil)
		}
		z.src.Reset(in)
		z.lz4.Reset(&z.src)
		err = z.read(z.lz4)
	case 4:
		err = z.inflateZstd(in)
	default:
		return nil, fmt.Errorf("%w: codec %d", UnsupportedCompression, codec)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: decompressing: %w", InvalidRecord, err)
	}
	return z.buf, nil
}

func (z *inflater) close() {
	if z.zstd != nil {
		z.zstd.Close()
	}
}

func (z *inflater) inflateGzip(in []byte) (err error) {
	z.src.Reset(in)
	if z.gzip == nil {
		if z.gzip, err = gzip.NewReader(&z.src); err != nil {
			return err
		}
	} else if err := z.gzip.Reset(&z.src); err != nil {
		return err
	}
	return z.read(z.gzip)
}

func (z *inflater) inflateZstd(in []byte) (err error) {
	if z.zstd == nil {
		z.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxInflated))
		if err != nil {
			return err
		}
	}
	z.buf, err = z.zstd.DecodeAll(in, z.buf[:0])
	return err
}

// xerial starts the framing that Java clients put around snappy: 8 bytes, two
// versions, then blocks with a length before each.
var xerial = []byte{0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

func (z *inflater) inflateSnappy(in []byte) error {
	z.buf = z.buf[:0]
	if !bytes.HasPrefix(in, xerial) {
		return z.snappyBlock(in)
	}
	if len(in) < 16 {
		return io.ErrUnexpectedEOF
	}
	for in = in[16:]; len(in) > 0; {
		if len(in) < 4 {
			return io.ErrUnexpectedEOF
		}
		n := int64(binary.BigEndian.Uint32(in))
		if n > int64(len(in)-4) {
			return io.ErrUnexpectedEOF
		}
		if err := z.snappyBlock(in[4 : 4+n]); err != nil {
			return err
		}
		in = in[4+n:]
	}
	return nil
}

func (z *inflater) snappyBlock(in []byte) error {
	n, err := snappy.DecodedLen(in)
	if err != nil {
		return err
	}
	at := len(z.buf)
	if n > maxInflated-at {
		return errInflated
	}
	// A byte of snappy makes 64 at most, so a length that cannot come true is not made room for.
	if n > 64*len(in) {
		return snappy.ErrCorrupt
	}
	z.grow(n)
	if _, err := snappy.Decode(z.buf[at:at+n], in); err != nil {
		return err
	}
	z.buf = z.buf[:at+n]
	return nil
}

// grow makes room for n bytes more.
func (z *inflater) grow(n int) {
	if cap(z.buf)-len(z.buf) < n {
		b := make([]byte, len(z.buf), max(min(2*cap(z.buf), maxInflated), len(z.buf)+n))
		copy(b, z.buf)
		z.buf = b
	}
}

// read fills the buffer with all that r gives.
func (z *inflater) read(r io.Reader) error {
	z.buf = z.buf[:0]
	for {
		z.grow(16 << 10)
		n, err := r.Read(z.buf[len(z.buf):cap(z.buf)])
		z.buf = z.buf[:len(z.buf)+n]
		switch {
		case len(z.buf) > maxInflated:
			return errInflated
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
