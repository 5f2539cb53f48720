package serve

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/ovation-analytics/ovation/api/compress"
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
	memory holding
}

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
		if err := takePlace(o, body); err != nil {
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
	err := transfer(o, body)
	o.cut = err != nil
	return err
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
