package serve

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/compress"
	"github.com/ovation-analytics/ovation/api/limit"
	"github.com/ovation-analytics/ovation/api/pages"
	"github.com/ovation-analytics/ovation/api/poll"
)

// reply is the answer to a request as it is written, and what the counters and the access log
// have of it. It belongs to the goroutine that serves the request.
type reply struct {
	w      http.ResponseWriter
	r      *http.Request
	route  string // pattern of the path; empty: there is none
	status int
	bytes  int  // of the body, as sent
	cut    bool // a body was begun that does not end: the connection has to
	shared bool // the body is no memory of this request
	memory *holding
}

// done reports that the answer is written, or cannot be.
func (o *reply) done() bool { return o.status != 0 || o.cut }

// send writes a whole body in the coding that the client prefers; to HEAD only its headers.
func (o *reply) send(status int, kind string, body []byte) {
	coding := compress.Accepted(o.r.Header["Accept-Encoding"])
	packed, smaller := compress.Compress(coding, body)
	if !smaller {
		_ = o.write(status, kind, compress.Identity, body)
		return
	}
	if o.write(status, kind, coding, packed.Bytes()) == nil {
		packed.Free()
	}
}

// write writes a body that is in a coding. A client that went away needs no answer.
func (o *reply) write(status int, kind string, coding compress.Coding, body []byte) error {
	if o.r.Method != http.MethodHead {
		if err := o.takePlace(body); err != nil {
			o.cut = true
			return err
		}
	}
	o.memory.now.Release()
	h := o.w.Header()
	h.Set("Content-Type", kind)
	if coding != compress.Identity {
		h.Set("Content-Encoding", coding.String())
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	o.empty(status)
	if o.r.Method == http.MethodHead {
		return nil
	}
	err := o.transfer(body)
	o.cut = err != nil
	return err
}

// document writes a document, or that the client has it.
func (o *reply) document(d *pages.Document) {
	h := o.w.Header()
	h["Etag"] = []string{d.Tag}
	h.Set("Cache-Control", d.Cache)
	if d.Policy != "" {
		h.Set("Content-Security-Policy", d.Policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if poll.Matches(o.r.Header["If-None-Match"], d.Tag) {
		o.empty(http.StatusNotModified)
		return
	}
	if !d.Lasts {
		o.send(http.StatusOK, d.Kind, d.Body)
		return
	}
	o.shared = true
	coding := compress.Accepted(o.r.Header["Accept-Encoding"])
	body := d.Packed(coding)
	if body == nil {
		coding, body = compress.Identity, d.Body
	}
	_ = o.write(http.StatusOK, d.Kind, coding, body)
}

// empty writes an answer of headers alone.
func (o *reply) empty(status int) {
	o.status = status
	o.w.WriteHeader(status)
}

// notKept is the header Cache-Control of what no cache may keep: an error is of now.
const notKept = "no-store"

// redirect sends a client to the right spelling of a path.
func (o *reply) redirect(path string) {
	status := http.StatusMovedPermanently
	if o.r.Method != http.MethodGet && o.r.Method != http.MethodHead {
		status = http.StatusTemporaryRedirect
	}
	o.w.Header().Set("Cache-Control", notKept) // the address may have the key
	to := url.URL{Path: path, RawQuery: o.r.URL.RawQuery}
	o.w.Header().Set("Location", to.String())
	o.empty(status)
}

// chunkBytes is how much is written at a time: each is progress.
const chunkBytes = 32 << 10

// patience is how long a client may read nothing of an answer.
const patience = time.Minute

// smallBytes is the size up to which an answer of HTTP/1.1 is in the buffer of its connection.
const smallBytes = 2 << 10

// takePlace has the answer hold what it turned out to take while it is written: a small one nothing.
func (o *reply) takePlace(body []byte) error {
	m := o.memory
	if len(body) <= smallBytes && o.r.ProtoMajor < 2 {
		m.place.Release()
		return nil
	}
	bytes := int64(writtenBytes)
	if !o.shared {
		bytes += int64(len(body))
	}
	if m.place.Holds() {
		m.place.Resize(bytes)
		return nil
	}
	s, err := m.pools.Outgoing.Acquire(m.wait.ctx, m.account, bytes)
	m.place = s
	return err
}

// transfer writes a body to the client.
func (o *reply) transfer(body []byte) error {
	if !o.memory.place.Holds() {
		n, err := o.w.Write(body)
		o.bytes += n
		return err
	}
	to := newClientWriter(o, len(body) > chunkBytes)
	defer o.memory.leave()
	_, err := to.Write(body)
	if err == nil && o.r.ProtoMajor >= 2 {
		err = to.connection.Flush() // what the handler leaves behind is written when nothing is held
	}
	if !to.stop() && err == nil {
		err = errEnded
	}
	return err
}

// errEnded is of a transfer that was ended for others.
var errEnded = domain.Fail(domain.RateLimited, "the body came, or was read, too slowly while others waited")

// clientWriter writes to the client in chunks, each of them progress of the request's place.
type clientWriter struct {
	to         *reply
	place      *limit.Share
	connection *http.ResponseController
}

// newClientWriter begins to write; long: with a time limit for each chunk, in place of that of the connection,
// which is of whole answers.
func newClientWriter(o *reply, long bool) *clientWriter {
	w := &clientWriter{o, &o.memory.place, http.NewResponseController(o.w)}
	limit := time.Duration(0)
	if long {
		limit = patience
	}
	w.place.Start(limit, func(t time.Time) { _ = w.connection.SetWriteDeadline(t) }) // some writers have none
	return w
}

// Write writes, and counts.
func (w *clientWriter) Write(p []byte) (written int, err error) {
	for len(p) > 0 {
		n, err := w.to.w.Write(p[:min(len(p), chunkBytes)])
		w.to.bytes += n
		written += n
		if err != nil {
			return written, err
		}
		p = p[n:]
		if !w.place.Moved(n) {
			return written, errEnded
		}
	}
	return written, nil
}

// stop ends the writing; false: it was ended before.
func (w *clientWriter) stop() bool { return w.place.Stop() }
