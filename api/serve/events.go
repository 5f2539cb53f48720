package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/compress"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/poll"
	"github.com/ovation-analytics/ovation/api/problem"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Events is an answer that goes on: server-sent events as they come, until the client leaves, the connection is old or
// something fails. It belongs to the goroutine of its request.
type Events interface {
	// Next gives further events; nil: there are none after so long a time. Its error ends the answer.
	Next(ctx context.Context, patience time.Duration) (*follow.Page, error)
	// ID is that of what Next has given, which a client comes back with.
	ID() string
	// Ending is done when answers are to end, since the node stops.
	Ending() context.Context
	// Close ends it.
	Close()
}

// EventsType is the media type of Events.
const EventsType = "text/event-stream"

const (
	// heartbeat is how often a client gets an id, with events or without.
	heartbeat = 15 * time.Second
	// An answer of events lives so long, and up to so much less or more: clients that came at once do not come back
	// at once.
	eventsAge    = 30 * time.Minute
	eventsSpread = eventsAge / 5
	// retryAtOnce is after how many milliseconds a client comes back, and retryBusy where it has too much open.
	retryAtOnce = 3000
	retryBusy   = 15_000
)

// End is why an answer of events ended.
type End uint8

// The ends.
const (
	EndClient End = iota // the client has left
	EndAge               // the connection was old
	EndSlow              // the client took too long to take what there was
	EndKey               // the key is no key any more, or its plan lacks the operation
	EndStop              // the node stops
	EndError             // what was asked for failed
	ends
)

// String is the end as a metric has it.
func (e End) String() string {
	return [...]string{"client", "age", "slow", "key", "stop", "error"}[e]
}

// EventCounts is what became of answers of events since the start.
type EventCounts struct {
	Opened uint64
	Events uint64 // that were sent
	Ended  map[End]uint64
}

// eventCounters count for EventCounts. Any goroutine may add.
type eventCounters struct {
	opened, events atomic.Uint64
	ended          [ends]atomic.Uint64
}

// Events is a snapshot.
func (a *Server) Events() EventCounts {
	out := EventCounts{Opened: a.events.opened.Load(), Events: a.events.events.Load(), Ended: map[End]uint64{}}
	for e := range ends {
		out.Ended[e] = a.events.ended[e].Load()
	}
	return out
}

// events sends Events. Its opening is counted when its header is sent, as a request that ends there.
func (x *exchange) events(e Events) error {
	defer e.Close()
	x.memory.leave()
	w := newEventWriter(x)
	h := x.reply.w.Header()
	x.headers(h)
	showQuota(h, &x.allowed, false)
	h.Set("Cache-Control", notKept)
	h.Set("X-Accel-Buffering", "no") // nginx would keep events back
	h.Set("Content-Type", EventsType)
	h.Set("X-Content-Type-Options", "nosniff")
	if w.packed != nil {
		h.Set("Content-Encoding", compress.Gzip.String())
	}
	x.reply.empty(x.req.Response.Status)
	x.count(x.server.Config.Now())
	if x.r.Method == http.MethodHead {
		return nil
	}
	c := &x.server.events
	c.opened.Add(1)
	end := x.sendEvents(e, w)
	c.ended[end].Add(1)
	x.reply.cut = end == EndClient || end == EndSlow
	return nil
}

// sendEvents sends events up to their end.
func (x *exchange) sendEvents(e Events, w *eventWriter) End {
	ctx, cancel := context.WithCancel(x.r.Context())
	defer cancel()
	defer context.AfterFunc(e.Ending(), cancel)()
	old := time.Now().Add(eventsAge - eventsSpread + rand.N(2*eventsSpread))
	beat := time.Now()
	opening := fmt.Sprintf("retry: %d\n", retryAtOnce)
	for {
		if !time.Now().Before(beat) {
			if err := x.stillMay(); err != nil {
				return x.endEvents(e, w, err)
			}
			if end, ok := w.write([]byte(opening+x.beat(e)), false); !ok {
				return end
			}
			opening = ""
			beat = time.Now().Add(heartbeat)
		}
		if !time.Now().Before(old) {
			return w.last(": the connection is old: come back with the id\n" + x.beat(e))
		}
		page, err := e.Next(ctx, min(time.Until(beat), time.Until(old)))
		if err == nil && page != nil {
			err = x.stillMay()
		}
		if err != nil {
			return x.endEvents(e, w, err)
		}
		if page == nil {
			continue
		}
		if end, ok := x.sendPage(w, page); !ok {
			return end
		}
		x.server.events.events.Add(uint64(page.Count))
	}
}

// beat is what a client gets without events: the id that it is at, which is no event.
func (x *exchange) beat(e Events) string {
	return fmt.Sprintf(": lag %d\nid: %s\n\n", x.server.Config.Engine.Lag().Milliseconds(), e.ID())
}

// errKeyEnded is of a key that has ended since the request began.
type errKeyEnded struct{ error }

func (e errKeyEnded) Unwrap() error { return e.error }

// stillMay is an error where the request would be refused now.
func (x *exchange) stillMay() error {
	engine := x.server.Config.Engine
	if err := engine.KeysHold(); err != nil {
		return err
	}
	caller, err := x.callerNow(engine.Catalog())
	if err == nil {
		err = x.op.refusePlan(&caller, x.req.Params)
	}
	if err != nil {
		return errKeyEnded{err}
	}
	return nil
}

// endEvents tells the client of an error that ends its events.
func (x *exchange) endEvents(e Events, w *eventWriter, err error) End {
	end := EndError
	switch key := (errKeyEnded{}); {
	case x.r.Context().Err() != nil:
		return EndClient
	case e.Ending().Err() != nil:
		end, err = EndStop, errStops
	case errors.As(err, &key):
		end = EndKey
	}
	p := problem.Of(Unavailable(err))
	retry := ""
	switch domain.Code(p.Error.Code) {
	case domain.Internal:
		p.Request = x.random.String()
		x.server.Config.Logger.Error("events ended", slog.String("operation", x.counts.name), slog.String("request", p.Request), slog.Any("err", err))
	case domain.Unavailable:
		retry = fmt.Sprintf("retry: %d\n", retryAtOnce/2+rand.N(retryAtOnce))
	case domain.RateLimited:
		retry = fmt.Sprintf("retry: %d\n", retryBusy+rand.N(retryBusy))
	}
	b, _ := wire.Encode(p) // a struct of texts always has a JSON form
	if told := w.last(retry + "id: " + e.ID() + "\nevent: problem\ndata: " + string(b) + "\n"); told == EndSlow {
		return told
	}
	return end
}

var errStops = domain.Fail(domain.Unavailable, "this node stops: come back with the id, another one goes on")

// eventWriter writes events, each time up to the client. Its time limit is that of a write: between two of them the
// client waits for the engine.
type eventWriter struct {
	x      *exchange
	part   *clientWriter // nil: between writes
	packed *compress.Events
}

func newEventWriter(x *exchange) *eventWriter {
	w := &eventWriter{x: x}
	if compress.AcceptsGzip(x.r.Header["Accept-Encoding"]) {
		w.packed = compress.NewEvents(w)
	}
	_ = http.NewResponseController(x.reply.w).SetReadDeadline(time.Time{}) // that of the request; some writers have none
	return w
}

// Write writes to the client.
func (w *eventWriter) Write(p []byte) (int, error) { return w.part.Write(p) }

// write writes a text; own: the text is this request's memory, for which it has a place. false: the client has left,
// or is too slow.
func (w *eventWriter) write(text []byte, own bool) (End, bool) {
	if m := &w.x.memory; own && m.place.Holds() {
		m.place.Resize(int64(len(text)) + writtenBytes)
	}
	return w.send(own, func() error {
		if w.packed != nil {
			_, err := w.packed.Write(text)
			return err
		}
		_, err := w.Write(text)
		return err
	})
}

// last writes the last text of an answer that is whole.
func (w *eventWriter) last(text string) End {
	if end, ok := w.write([]byte(text), false); !ok {
		return end
	}
	if w.packed != nil {
		if end, ok := w.send(false, w.packed.Close); !ok {
			return end
		}
	}
	return EndAge
}

func (w *eventWriter) send(own bool, code func() error) (End, bool) {
	m := &w.x.memory
	defer m.leave()
	if !own || !m.place.Holds() {
		if err := m.takePlace(w.x.r.Context()); err != nil {
			return EndClient, false
		}
	}
	began := time.Now()
	w.part = newClientWriter(&w.x.reply, true)
	err := code()
	if err == nil {
		err = w.part.connection.Flush()
	}
	if errors.Is(err, http.ErrNotSupported) {
		err = nil
	}
	switch {
	case !w.part.stop() || err != nil && time.Since(began) >= patience:
		return EndSlow, false
	case err != nil:
		return EndClient, false
	}
	_ = w.part.connection.SetWriteDeadline(time.Time{}) // some writers have none
	return 0, true
}

// placeRest is about how long an answer of events waits until it asks again for a place to write to.
const placeRest = 100 * time.Millisecond

// takePlace waits until there is a place to write a text to that other requests share. It asks again where the pool
// refuses: what is written is small, and what holds the pool is slow, so it ends.
func (m *holding) takePlace(ctx context.Context) error {
	for {
		s, err := m.pools.Streams.Acquire(func() context.Context { return ctx }, m.account, writtenBytes)
		if err == nil {
			m.place = s
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(placeRest + rand.N(placeRest)):
		}
	}
}

// maxEvents is how much of memory the text of a page of events takes while it is written.
const maxEvents = follow.MaxPage + writtenBytes

// ownWait is how long a page waits for its place: the client may be due an id meanwhile.
const ownWait = time.Second

// MakeOwn has make make a page of events for this request alone, in the memory that it takes. Its text keeps what it
// takes until it is written. follow.ErrBusy: there is no memory for it now.
func (req *Request) MakeOwn(ctx context.Context, make func(context.Context) (*follow.Page, error)) (*follow.Page, error) {
	m := req.memory
	m.leave()
	wait, cancel := context.WithTimeout(ctx, ownWait)
	defer cancel()
	s, err := m.pools.Streams.Acquire(func() context.Context { return wait }, m.account, maxEvents)
	if err != nil {
		return nil, busy(ctx)
	}
	m.place = s
	page, err := req.MakeShared(ctx, make)
	if err != nil || len(page.Events) == 0 {
		m.leave()
		return page, err
	}
	return page, nil
}

// MakeShared has make make a page of events for all that follow its question, in the memory that the making takes.
// follow.ErrBusy: there is no memory for it now. It may be called by any goroutine.
func (req *Request) MakeShared(ctx context.Context, make func(context.Context) (*follow.Page, error)) (*follow.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	s, err := req.memory.pools.Parts.Acquire(func() context.Context { return ctx }, req.Account(), requestBytes+rowBytes*StreamRows)
	if err != nil {
		return nil, busy(ctx)
	}
	defer s.Release()
	return make(ctx)
}

// busy is the error of a page for which there is no memory.
func busy(ctx context.Context) error {
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return err
	}
	return follow.ErrBusy
}

// LastEventID is the id that a stream goes on after: that of the header, else that of the parameter cursor, whose value is
// bound. given: there is one, perhaps an empty one.
func (req *Request) LastEventID(cursor string) (id string, given bool, err error) {
	const name = "Last-Event-ID"
	values := req.http.Header[http.CanonicalHeaderKey(name)]
	if len(values) > 1 || len(values) == 1 && len(values[0]) > page.MaxCursor {
		return "", false, domain.Bad(domain.InvalidParameter, name, name+" must be one id of an event")
	}
	if len(values) == 1 && values[0] != "" {
		return values[0], true, nil
	}
	_, given = req.Params.Get("cursor")
	return cursor, given, nil
}

// Later is the request once more, as of now: for a page of an answer that goes on. It may be of another goroutine, and
// outlast the request: ctx is that of what it reads.
func (req *Request) Later(ctx context.Context) *Request {
	c := req.config
	later := &Request{
		Engine: c.Engine, Catalog: c.Engine.Catalog(), Caller: req.Caller, Params: req.Params, ID: req.ID,
		Links:    page.Links{Base: req.Links.Base, Path: req.Links.Path, Params: req.Params},
		Clock:    poll.Clock{Now: c.TimeOfDay(c.Now())},
		Response: Response{Status: http.StatusOK, LagMs: -1},
		config:   c, journal: req.journal, renewals: req.renewals,
		http: (&http.Request{Method: http.MethodGet}).WithContext(ctx),
	}
	later.list = page.NewList(&later.Links, nil)
	return later
}
