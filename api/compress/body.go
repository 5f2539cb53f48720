package compress

import (
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// MinSize is the size from which a body is compressed: below it, body and header fit one packet
// anyway.
const MinSize = 1024

// maxPooled is the largest buffer that is kept for the next answer.
const maxPooled = 1 << 20

// Body is a compressed body in a pooled buffer.
type Body struct{ *buffer }

// buffer is memory that answers use one after the other.
type buffer struct{ bytes []byte }

// Write appends.
func (b *buffer) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

// Bytes are the compressed form, until Free.
func (b Body) Bytes() []byte { return b.bytes }

// Free gives the buffer back: nothing may read it any more. It is called at most once.
func (b Body) Free() {
	if cap(b.bytes) <= maxPooled {
		b.bytes = b.bytes[:0]
		buffers.Put(b.buffer)
	}
}

var (
	buffers = sync.Pool{New: func() any { return new(buffer) }}
	gzips   = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for a level that is none
		return z
	}}
)

// zstdWindow is how far back a match may be. Of a list a larger one makes no smaller answer, and each
// encoder keeps as much.
const zstdWindow = 128 << 10

// zstds has an encoder for each processor, which are made when the first answer needs one: an
// answer waits where all are in use.
var zstds = sync.OnceValue(func() *zstd.Encoder {
	z, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true),
	)
	if err != nil { // the options above are wrong: every test fails
		panic(err)
	}
	return z
})

// Compress makes the compressed form of a body. It is false where the coding is Identity, or the
// body is small, or would not become smaller: then it is sent as it is.
func Compress(c Coding, body []byte) (Body, bool) {
	if c == Identity || len(body) < MinSize {
		return Body{}, false
	}
	b := Body{buffers.Get().(*buffer)}
	switch c {
	case Gzip:
		z := gzips.Get().(*gzip.Writer)
		z.Reset(b.buffer)
		_, _ = z.Write(body) // a buffer takes everything
		_ = z.Close()
		z.Reset(nil)
		gzips.Put(z)
	case Zstd:
		b.bytes = zstds().EncodeAll(body, b.bytes)
	}
	if len(b.bytes) >= len(body) {
		b.Free()
		return Body{}, false
	}
	return b, true
}
