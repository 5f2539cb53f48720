package serve

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// Requests with a body and those without are bounded apart: a body may be read before the
// key is known, and a slow sender of many holds up no question. So are streams: a slow reader of
// many holds up other streams alone.

// inflight bounds the bytes of requests under way: what is read of a body and what it is
// parsed to, and an answer with what it is made of. A request waits for its part, in the
// order in which they came, as long as the engine may take over one; then it is
// Unavailable. Any goroutine may call.
type inflight struct {
	most int64

	mu      sync.Mutex // guards what follows
	used    int64
	waiting []*inflightWaiter
}

type inflightWaiter struct {
	bytes int64
	ready chan struct{} // closed when it has its part
}

// inflightOf bounds the requests of an operation that come with the method.
func (s *Server) inflightOf(method string, op *Operation) *inflight {
	switch {
	case method == http.MethodPost:
		return &s.bodies
	case op.streams():
		return &s.streams
	}
	return &s.asking
}

// acquire waits for so many bytes, at most all there are, and gives how many it took: they are
// to be given back. ctx is asked for when there is something to wait for.
func (f *inflight) acquire(ctx func() context.Context, bytes int64) (int64, error) {
	bytes = min(bytes, f.most)
	f.mu.Lock()
	if len(f.waiting) == 0 && f.used+bytes <= f.most {
		f.used += bytes
		f.mu.Unlock()
		return bytes, nil
	}
	w := &inflightWaiter{bytes, make(chan struct{})}
	f.waiting = append(f.waiting, w)
	f.mu.Unlock()
	select {
	case <-w.ready:
		return bytes, nil
	case <-ctx().Done():
	}
	if f.leave(w) {
		return 0, domain.ErrUnavailable
	}
	return bytes, nil // it got its part in between
}

// leave reports that w was still waiting, and does no more.
func (f *inflight) leave(w *inflightWaiter) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, o := range f.waiting {
		if o == w {
			f.waiting = append(f.waiting[:i], f.waiting[i+1:]...)
			f.wake() // later ones may fit now
			return true
		}
	}
	return false
}

// release ends the use of what acquire gave.
func (f *inflight) release(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.used -= bytes
	f.wake()
}

// wake gives their part to waiting requests in order, as long as the next fits. The mutex is held.
func (f *inflight) wake() {
	for len(f.waiting) > 0 && f.used+f.waiting[0].bytes <= f.most {
		f.used += f.waiting[0].bytes
		close(f.waiting[0].ready)
		f.waiting[0] = nil
		f.waiting = f.waiting[1:]
	}
}

// What a request takes, about: any, one row of a list with what it is made of, and a byte of
// a body when it is parsed.
const (
	requestBytes = 16 << 10
	rowBytes     = 4 << 10
	parsedTimes  = 4
)

// weigh is what a request will take: of a list by the rows asked for, of a body by its
// size, where that is not known by the most that it may be.
func weigh(r *http.Request, op *Operation, params *bind.Params) int64 {
	if r.Method == http.MethodPost {
		size, most := r.ContentLength, int64(MaxBody)
		if op.Each != nil {
			most = MaxRecordsBody
		}
		if size < 0 || size > most {
			size = most
		}
		return requestBytes + parsedTimes*size
	}
	if op.streams() {
		return requestBytes + rowBytes*StreamRows
	}
	text, given := params.Get("limit")
	if !given {
		return requestBytes
	}
	_, rows, both := strings.Cut(text, ",")
	if !both {
		rows = text
	}
	n, err := strconv.Atoi(rows)
	if err != nil || n < 0 {
		n = 0 // refused before anything is read
	}
	return requestBytes + rowBytes*int64(min(n, bind.MaxLimit))
}
