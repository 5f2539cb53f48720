package compress

import (
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Stream writes a body in a coding while the body is made. It belongs to one goroutine.
type Stream struct {
	to     io.Writer
	coder  coder // nil: Identity
	coding Coding
}

// coder is what both codings have.
type coder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// streamed are coders for the next stream, by coding.
var streamed = [Zstd + 1]sync.Pool{
	Gzip: {New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for a level that is none
		return z
	}},
	Zstd: {New: func() any {
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
		if err != nil { // the options above are wrong: every test fails
			panic(err)
		}
		return z
	}},
}

// NewStream is a stream to a writer.
func NewStream(c Coding, to io.Writer) *Stream {
	s := &Stream{to: to, coding: c}
	if c != Identity {
		s.coder = streamed[c].Get().(coder)
		s.coder.Reset(to)
	}
	return s
}

// Write takes a part of the body.
func (s *Stream) Write(p []byte) (int, error) {
	if s.coder == nil {
		return s.to.Write(p)
	}
	return s.coder.Write(p)
}

// Flush passes on what was written: a client can expand all of it.
func (s *Stream) Flush() error {
	if s.coder == nil {
		return nil
	}
	return s.coder.Flush()
}

// Close ends a body that is whole. A stream that is not closed leaves one that expands with an
// error at its end.
func (s *Stream) Close() error {
	if s.coder == nil {
		return nil
	}
	err := s.coder.Close()
	if err == nil {
		s.coder.Reset(nil)
		streamed[s.coding].Put(s.coder)
	}
	return err
}
