package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

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

// partLimit bounds how long a client may take over one part: in place of the limits of the
// connection, which are of whole answers.
const partLimit = time.Minute

// stream sends a stream.
func (x *exchange) stream(s Stream) error {
	var part []byte
	var end error
	if x.r.Method != http.MethodHead {
		if part, end = nextPart(x.r.Context(), s, nil); end != nil && !errors.Is(end, io.EOF) {
			return end
		}
	}
	coding := compress.Accepted(x.r.Header["Accept-Encoding"])
	h := x.w.Header()
	x.headers(h)
	x.allowed.show(h, false)
	h.Set("Content-Type", s.MediaType())
	h.Set("X-Content-Type-Options", "nosniff")
	if coding != compress.Identity {
		h.Set("Content-Encoding", coding.String())
	}
	x.empty(x.req.Status)
	if x.r.Method == http.MethodHead {
		return nil
	}
	out := streamWriter{to: &x.reply, connection: http.NewResponseController(x.w)}
	coder := compress.NewStream(coding, &out)
	for out.send(coder, part) == nil {
		if errors.Is(end, io.EOF) {
			x.cut = coder.Close() != nil
			return nil
		}
		if part, end = nextPart(x.r.Context(), s, part[:0]); end != nil && !errors.Is(end, io.EOF) {
			break
		}
	}
	x.cut = true
	if end != nil && !errors.Is(end, io.EOF) && x.r.Context().Err() == nil {
		x.server.Logger.Warn("stream cut", slog.String("operation", x.counts.name),
			slog.String("request", x.random.String()), slog.Any("err", end))
	}
	return nil
}

// nextPart makes a part, for which the engine has as long as for an answer.
func nextPart(request context.Context, s Stream, dst []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(request, timeLimit)
	defer cancel()
	return s.Next(ctx, dst)
}

// streamWriter writes the parts of a stream, each with a time limit of its own.
type streamWriter struct {
	to         *reply
	connection *http.ResponseController
}

// Write writes to the client, and counts.
func (w *streamWriter) Write(p []byte) (int, error) {
	n, err := w.to.w.Write(p)
	w.to.bytes += n
	return n, err
}

// send writes a part through its coder, up to the client.
func (w *streamWriter) send(coder *compress.Stream, part []byte) error {
	_ = w.connection.SetWriteDeadline(time.Now().Add(partLimit)) // some writers have none
	if _, err := coder.Write(part); err != nil {
		return err
	}
	if err := coder.Flush(); err != nil {
		return err
	}
	if err := w.connection.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
