package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/ovation-analytics/ovation/api/compress"
)

// Stream is an answer that is made while it is sent, a part at a time. It has no ETag and no
// length. An error of the first part is the answer; one after it cuts the connection, so that no
// client takes what it has for the whole.
type Stream interface {
	// MediaType is that of every value, of a nil one too.
	MediaType() string
	// Next appends the next part to dst. io.EOF comes with the last one. ctx is of this part.
	Next(ctx context.Context, dst []byte) ([]byte, error)
}

// StreamRows is how many rows a Stream may hold at once.
const StreamRows = 500

// stream sends a stream.
func (x *exchange) stream(s Stream) error {
	if x.redacts() {
		return errUnredacted
	}
	var part []byte
	var end error
	if x.r.Method != http.MethodHead {
		if part, end = nextPart(x, s, nil); end != nil && !errors.Is(end, io.EOF) {
			return end
		}
	}
	coding := compress.Accepted(x.r.Header["Accept-Encoding"])
	h := x.reply.w.Header()
	x.headers(h)
	showQuota(h, &x.allowed, false)
	h.Set("Content-Type", s.MediaType())
	h.Set("X-Content-Type-Options", "nosniff")
	if coding != compress.Identity {
		h.Set("Content-Encoding", coding.String())
	}
	x.reply.empty(x.req.Response.Status)
	if x.r.Method == http.MethodHead {
		return nil
	}
	out := &streamWriter{to: &x.reply}
	coder := compress.NewStream(coding, out)
	for out.send(coder, part) == nil {
		if errors.Is(end, io.EOF) {
			x.reply.cut = out.close(coder) != nil
			return nil
		}
		if part, end = nextPart(x, s, part[:0]); end != nil && !errors.Is(end, io.EOF) {
			break
		}
	}
	x.reply.cut = true
	if end != nil && !errors.Is(end, io.EOF) && x.r.Context().Err() == nil {
		x.server.Config.Logger.Warn("stream cut", slog.String("operation", x.counts.name),
			slog.String("request", x.random.String()), slog.Any("err", end))
	}
	return nil
}

// nextPart makes a part, for which the engine has as long as for an answer. What the making takes
// is given back before the part is sent.
func nextPart(x *exchange, s Stream, dst []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), timeLimit)
	defer cancel()
	m := &x.memory
	if !m.now.Holds() {
		m.wait = &deadline{limited: ctx}
		if err := m.take(m.pools.Parts, requestBytes+rowBytes*StreamRows); err != nil {
			return dst, err
		}
	}
	defer m.now.Release()
	return s.Next(ctx, dst)
}

// streamWriter writes the parts of a stream. Its speed is that of each part: between parts the
// client waits for the engine.
type streamWriter struct {
	to   *reply
	part *clientWriter // nil: between parts
}

// Write writes to the client.
func (w *streamWriter) Write(p []byte) (int, error) { return w.part.Write(p) }

// send writes a part through its coder, up to the client.
func (w *streamWriter) send(coder *compress.Stream, part []byte) error {
	return w.write(func() error {
		if _, err := coder.Write(part); err != nil {
			return err
		}
		return coder.Flush()
	})
}

// close ends a body that is whole.
func (w *streamWriter) close(coder *compress.Stream) error { return w.write(coder.Close) }

func (w *streamWriter) write(code func() error) error {
	w.part = newClientWriter(w.to, true)
	err := code()
	if err == nil {
		err = w.part.connection.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	if !w.part.stop() && err == nil {
		err = errEnded
	}
	return err
}
