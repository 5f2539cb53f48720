package compress

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
)

// eventWindow is how much of what was sent the next event is compressed by.
const eventWindow = 8 << 10

// Events writes events that are seconds apart or hours as gzip, each whole at the client when it is written. Between
// two it keeps eventWindow bytes, where a Stream would keep some hundred KiB. It belongs to one goroutine.
type Events struct {
	to      io.Writer
	sent    []byte // the end of what was written
	sum     uint32
	size    uint32
	started bool
	packed  bytes.Buffer
}

// NewEvents is gzip to a writer.
func NewEvents(to io.Writer) *Events { return &Events{to: to} }

// gzipHeader is that of RFC 1952: deflate, no flags, no time, unknown system.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// Write writes events.
func (e *Events) Write(p []byte) (int, error) {
	if err := e.write(p, false); err != nil {
		return 0, err
	}
	e.sum = crc32.Update(e.sum, crc32.IEEETable, p)
	e.size += uint32(len(p))
	e.keep(p[max(0, len(p)-eventWindow):])
	return len(p), nil
}

// keep adds what was written to the window, and drops what is too long ago.
func (e *Events) keep(p []byte) {
	if over := len(e.sent) + len(p) - eventWindow; over > 0 {
		e.sent = slices.Delete(e.sent, 0, over)
	}
	e.sent = append(e.sent, p...)
}

// Close ends a body that is whole.
func (e *Events) Close() error { return e.write(nil, true) }

func (e *Events) write(p []byte, end bool) error {
	defer func() { e.packed = bytes.Buffer{} }()
	if !e.started {
		e.started = true
		e.packed.Write(gzipHeader)
	}
	if err := flate.StatelessDeflate(&e.packed, p, end, e.sent); err != nil {
		return err
	}
	if end {
		e.packed.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, e.sum), e.size))
	}
	_, err := e.to.Write(e.packed.Bytes())
	return err
}

// AcceptsGzip reports that a client takes gzip by the values of Accept-Encoding, and would not rather have the body as
// it is.
func AcceptsGzip(values []string) bool {
	w := weigh(values)
	return w.of[Gzip] > 0 && w.of[Gzip] >= w.of[Identity]
}
