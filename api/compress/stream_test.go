package compress

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// expander is a decoder of the coding that gives what it has at once.
func expander(t *testing.T, c Coding, r io.Reader) io.Reader {
	t.Helper()
	switch c {
	case Gzip:
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		return z
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(z.Close)
		return z
	}
	return r
}

// What was flushed can be expanded before the body is whole, and a closed stream is the body, also
// with a coder that was used before.
func TestStream_FlushedPartsExpand(t *testing.T) {
	for _, c := range []Coding{Identity, Gzip, Zstd} {
		for range 3 {
			var wire bytes.Buffer
			s := NewStream(c, &wire)
			var body []byte
			for n := range 4 {
				part := items(10 * (n + 1))
				body = append(body, part...)
				if _, err := s.Write(part); err != nil {
					t.Fatal(err)
				}
				if err := s.Flush(); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, len(body))
				if _, err := io.ReadFull(expander(t, c, bytes.NewReader(wire.Bytes())), got); err != nil || !bytes.Equal(got, body) {
					t.Fatalf("%v: %v after %d parts", c, err, n+1)
				}
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(expander(t, c, &wire)); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%v: %d bytes of %d, %v", c, len(got), len(body), err)
			}
		}
	}
}

// A stream that was not closed expands with an error: the body is not whole.
func TestStream_NotClosedIsAnError(t *testing.T) {
	for _, c := range []Coding{Gzip, Zstd} {
		var wire bytes.Buffer
		s := NewStream(c, &wire)
		if _, err := s.Write(items(10)); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(expander(t, c, bytes.NewReader(wire.Bytes()))); err == nil {
			t.Errorf("%v: the body looks whole", c)
		}
	}
}
