package streams

import (
	"context"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/serve"
)

// Question is what a stream asks. Any goroutine may use it.
type Question interface {
	// Ask asks it from a place on, as of the request.
	Ask(ctx context.Context, req *serve.Request, from domain.StreamQuery) (*domain.Answer, *domain.Question, error)
	// Events are the events of an answer, as clients get them.
	Events(ctx context.Context, req *serve.Request, answer *domain.Answer) ([]follow.Event, error)
}

// Streams are the streams of a node.
type Streams struct{ hub *follow.Hub }

// New makes Streams whose readers are of a hub.
func New(hub *follow.Hub) *Streams { return &Streams{hub} }

// maxStreams is how many streams an account may have open at a node, by its plan.
var maxStreams = map[domain.Plan]int{domain.Standard: 20, domain.Advanced: 100, domain.Enterprise: 500}

// Opening is where a stream begins.
type Opening struct {
	Token    string // of a client that comes back, or what says where to begin
	Given    bool   // there is a token, perhaps an empty one
	Recorded int64  // without a token: what was recorded at this time or later, in seconds since 1970
	Since    bool   // Recorded is given
}

// Open opens a stream of a question.
func (s *Streams) Open(ctx context.Context, req *serve.Request, of Question, at Opening) (*Stream, error) {
	leave, err := s.hub.Enter(req.Account(), maxStreams[domain.PlanOf(req.Catalog.ApplicationsOf(req.Account()))])
	if err != nil {
		return nil, err
	}
	out := &Stream{hub: s.hub, leave: leave}
	if err := out.open(ctx, req, of, at); err != nil {
		leave()
		return nil, err
	}
	return out, nil
}

// Stream is the events of a question as they become visible. It belongs to the goroutine of its request.
type Stream struct {
	hub    *follow.Hub
	leave  func()
	ids    page.StreamIDs
	reader *follow.Reader
}

// open finds where the stream begins, and its pages.
func (s *Stream) open(ctx context.Context, req *serve.Request, of Question, o Opening) error {
	now, q, err := of.Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return err
	}
	s.ids = req.List().StreamIDs(req.Account(), now.Position.Journal)
	at := follow.Cursor(now.Stream.Next)
	switch {
	case o.Given:
		if at, err = From(&s.ids, o.Token, at); err != nil {
			return err
		}
	case o.Since:
		q.Stream.Start, q.Stream.From = domain.StreamRecorded, 1000*o.Recorded
		begin, err := req.Ask(ctx, q)
		if err != nil {
			return err
		}
		if begin.Stream == nil {
			return serve.ErrShape("stream")
		}
		at = begin.Stream.Next
	}
	text := req.List().Stream + "\n" + req.Links.Base
	own := &source{of: of, req: req, ids: s.ids, make: req.MakeOwn}
	shared := func() follow.Source { return &source{of: of, req: req, ids: s.ids, make: req.MakeShared} }
	s.reader, err = s.hub.Follow(req.Account(), text, at, now.Stream.Next, own, shared)
	return err
}

// From is where a token has a stream go on; now is where one begins that has only what comes.
func From(ids *page.StreamIDs, token string, now follow.Cursor) (follow.Cursor, error) {
	switch token {
	case "", page.StreamBegin:
		return make(follow.Cursor, len(now)), nil
	case page.StreamNow:
		return now, nil
	}
	at, ok := ids.Open(token)
	if !ok || len(at) != len(now) {
		return nil, ErrCursor
	}
	return at, nil
}

// ErrCursor is of a token of another stream.
var ErrCursor = domain.Bad(domain.InvalidParameter, "cursor",
	"cursor, or Last-Event-ID, must be the id of an event of this stream, with the same filters: begin again without it, or with cursor= (empty)")

// Next gives further events.
func (s *Stream) Next(ctx context.Context, patience time.Duration) (*follow.Page, error) {
	return s.reader.Next(ctx, patience)
}

// ID is the cursor after what Next has given.
func (s *Stream) ID() string { return s.ids.Seal(s.reader.At()) }

// Ending is done when streams are to end.
func (s *Stream) Ending() context.Context { return s.hub.Draining() }

// Close ends the stream.
func (s *Stream) Close() {
	s.reader.Close()
	s.leave()
}
