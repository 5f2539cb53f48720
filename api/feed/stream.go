package feed

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Streams answers the stream of the feed.
type Streams struct{ hub *follow.Hub }

// NewStreams makes Streams whose readers are of a hub.
func NewStreams(hub *follow.Hub) *Streams { return &Streams{hub} }

// streamIn are the parameters of activity/feed/stream.
type streamIn struct {
	BrandID bind.ID    `name:"brandID" doc:"only actions for this brand" eg:"1"`
	Since   bind.Start `name:"start_date" doc:"begin with the actions that were recorded at this time or later; beside a cursor or Last-Event-ID it has no effect" eg:"2026-01-01 00:00:00"`
	Filters feedFilters
	Keyword string `name:"keyword" doc:"only actions with this text in a value of their Content, in any case" eg:"blue"`
	Cursor  string `name:"cursor" max:"4096" doc:"the id of an event: go on after it; the header Last-Event-ID is the same, and goes before it. Empty: all actions that there are, then those that come. Without it, and without start_date: those that come"`
}

// streamed is what a stream asks: the parameters that feed and stream have both.
type streamed struct {
	brand   bind.ID
	filters *selection.Filters
	keyword string
}

// maxStreams is how many streams an account may have open at a node, by its plan.
var maxStreams = map[domain.Plan]int{domain.Standard: 20, domain.Advanced: 100, domain.Enterprise: 500}

// List opens a stream.
func (s *Streams) List(ctx context.Context, req *serve.Request, in *streamIn) (*Stream, error) {
	token, given, err := req.LastEventID(in.Cursor)
	if err != nil {
		return nil, err
	}
	leave, err := s.hub.Enter(req.Account(), maxStreams[domain.PlanOf(req.Catalog.ApplicationsOf(req.Account()))])
	if err != nil {
		return nil, err
	}
	out := &Stream{hub: s.hub, leave: leave}
	of := streamed{in.BrandID, (*selection.Filters)(&in.Filters), in.Keyword}
	since := in.Since
	if given {
		since = bind.Start{}
	}
	if err := out.open(ctx, req, of, token, given, since); err != nil {
		leave()
		return nil, err
	}
	return out, nil
}

// Stream is the actions of a feed as they become visible, and what is taken back of them. It belongs to the goroutine of its request.
type Stream struct {
	hub    *follow.Hub
	leave  func()
	ids    page.StreamIDs
	reader *follow.Reader
}

// MediaType is that of server-sent events.
func (*Stream) MediaType() string { return serve.EventsType }

// EventShapes are the shapes of the data of the events by their names.
func (*Stream) EventShapes() map[string]reflect.Type {
	return map[string]reflect.Type{
		domain.EventActivity.String(): reflect.TypeFor[wire.FeedItem](),
		domain.EventRemoved.String():  reflect.TypeFor[wire.RemovedAction](),
		domain.EventErased.String():   reflect.TypeFor[wire.ErasedMember](),
	}
}

// open finds where the stream begins, and its pages.
func (s *Stream) open(ctx context.Context, req *serve.Request, of streamed, token string, given bool, since bind.Start) error {
	now, q, err := of.ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return err
	}
	s.ids = req.List().StreamIDs(req.Account(), now.Position.Journal)
	at := now.Stream.Next
	switch {
	case since.Given:
		q.Stream = domain.StreamQuery{Start: domain.StreamRecorded, From: 1000 * since.Unix}
		begin, err := req.Ask(ctx, q)
		if err != nil {
			return err
		}
		if begin.Stream == nil {
			return serve.ErrShape("stream")
		}
		at = begin.Stream.Next
	case given:
		if at, err = from(&s.ids, token, now.Stream.Next); err != nil {
			return err
		}
	}
	text := req.List().Stream + "\n" + req.Links.Base
	own := &source{of: of, req: req, ids: s.ids, make: req.MakeOwn}
	shared := func() follow.Source { return &source{of: of, req: req, ids: s.ids, make: req.MakeShared} }
	s.reader, err = s.hub.Follow(req.Account(), text, at, now.Stream.Next, own, shared)
	return err
}

// from is where a token has a stream go on; now is where one begins that has only what comes.
func from(ids *page.StreamIDs, token string, now follow.Cursor) (follow.Cursor, error) {
	switch token {
	case "", page.StreamBegin:
		return make(follow.Cursor, len(now)), nil
	case page.StreamNow:
		return now, nil
	}
	at, ok := ids.Open(token)
	if !ok || len(at) != len(now) {
		return nil, errCursor
	}
	return at, nil
}

var errCursor = domain.Bad(domain.InvalidParameter, "cursor",
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

// source makes the pages of a stream. What they are selected by is found again for each: definitions, segments and
// members are those of its time.
type source struct {
	of   streamed
	req  *serve.Request // that the stream began with
	ids  page.StreamIDs
	make func(context.Context, func(context.Context) (*follow.Page, error)) (*follow.Page, error)

	asked *domain.Question
	since domain.Versions // before the last page
}

// Page makes the page after a cursor.
func (s *source) Page(ctx context.Context, after follow.Cursor) (*follow.Page, error) {
	return s.make(ctx, func(ctx context.Context) (*follow.Page, error) {
		req := s.req.Later(ctx)
		s.since = req.Engine.Versions()
		answer, q, err := s.of.ask(ctx, req, domain.StreamQuery{Above: after, Limit: domain.MaxStreamPage})
		if err != nil {
			return nil, err
		}
		s.asked = q
		out := &follow.Page{To: answer.Stream.Next, More: answer.Stream.More}
		out.Events, err = events(ctx, req, answer)
		return out, err
	})
}

// Wait returns when there may be events after the last page.
func (s *source) Wait(ctx context.Context) error {
	return s.req.Later(ctx).Engine.AwaitRows(ctx, s.asked, s.since)
}

// Frame appends an event with its id.
func (s *source) Frame(dst []byte, id follow.Cursor, text []byte) []byte {
	dst = append(append(dst, "id: "...), s.ids.Seal(id)...)
	return append(append(dst, '\n'), text...)
}

// ask asks for a stream's page, as of the request.
func (of streamed) ask(ctx context.Context, req *serve.Request, from domain.StreamQuery) (*domain.Answer, *domain.Question, error) {
	q := &domain.Question{Shape: domain.ShapeStream, Range: domain.AllTime, Stream: from, Listing: domain.Listing{Keyword: of.keyword}}
	if f := of.filters; len(f.AnyOfActivities) > 0 || len(f.AllOfActivities) > 0 || f.MembersFromSegment != 0 {
		r, fault := req.Resolve(bind.Range{}, selection.Lists, false)
		if fault != nil {
			return nil, nil, fault
		}
		q.Range = r.Span.Seconds()
	}
	chosen, err := selection.Choose(ctx, req, q, of.brand, "brandID", of.filters)
	if err != nil {
		return nil, nil, err
	}
	q.Groups = chosen.Groups(selection.InOne)
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if answer.Stream == nil {
		return nil, nil, serve.ErrShape("stream")
	}
	return answer, q, nil
}

// survivors are those whom merged members stand for, as they are now: a stream does not wait until the shards of others
// are as far as that of a member. nil: one who is erased.
type survivors map[domain.MemberID]*domain.Member

// of is whom a member stands for.
func (s survivors) of(ctx context.Context, req *serve.Request, id domain.MemberID) (*domain.Member, error) {
	if m, known := s[id]; known {
		return m, nil
	}
	m, _, err := req.Engine.MemberRecord(ctx, req.Account(), id, domain.Position{})
	switch code := domain.CodeOf(err); {
	case code == domain.NotFound || code == domain.Gone:
		m = nil
	case err != nil:
		return nil, serve.WaitFault(err)
	case m.IsLent():
		if m, err = s.of(ctx, req, m.Lent.To); err != nil {
			return nil, err
		}
	}
	s[id] = m
	return m, nil
}

// events are the events of a page.
func events(ctx context.Context, req *serve.Request, answer *domain.Answer) ([]follow.Event, error) {
	all, err := tell(ctx, req, answer)
	if err != nil {
		return nil, err
	}
	out := make([]follow.Event, len(all))
	for i := range all {
		e := &all[i]
		b, err := e.json()
		if err != nil {
			return nil, err
		}
		text := slices.Concat([]byte("event: "+e.Kind().String()+"\ndata: "), b, []byte("\n"))
		out[i] = follow.Event{Shard: e.Shard, Seq: e.Sequence(), Text: text}
	}
	return out, nil
}

// unstreamedIn reports that a request for a page of a stream has parameters that a stream has not.
func unstreamedIn(params *bind.Params) bool {
	return slices.ContainsFunc([]string{"period", "period_end", "start_date", "end_date", "sort", "order_by_recorded", "recorded_since"}, func(name string) bool {
		value, _ := params.Get(name)
		return value != ""
	})
}

// pageOfStream is the page of a stream after a cursor, the oldest first.
func pageOfStream(ctx context.Context, req *serve.Request, in *feedIn) (*wire.Feed, error) {
	p := in.Paged.Page(req)
	if p.Offset > 0 {
		return nil, domain.Bad(domain.InvalidParameter, "limit", "limit cannot have an offset beside a cursor")
	}
	if p.Limit > domain.MaxStreamPage {
		p.Limit = domain.MaxStreamPage
		req.Warn("limit was clamped to 500, which a page of a stream has at most")
	}
	if unstreamedIn(req.Params) {
		req.Warn("a stream has the actions of all times in the order in which they became visible: its range and order were ignored")
	}
	of := streamed{in.BrandID, (*selection.Filters)(&in.Filters), in.Keyword}
	now, q, err := of.ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return nil, err
	}
	ids := req.List().StreamIDs(req.Account(), now.Position.Journal)
	at, err := from(&ids, in.Cursor, now.Stream.Next)
	if err != nil {
		return nil, err
	}
	out := &wire.Feed{Items: []wire.FeedItem{}}
	if p.Limit > 0 && in.Cursor != page.StreamNow {
		q.Stream = domain.StreamQuery{Above: at, Limit: p.Limit}
		answer, err := req.Ask(ctx, q)
		if err != nil {
			return nil, err
		}
		if answer.Stream == nil {
			return nil, serve.ErrShape("stream")
		}
		events, err := tell(ctx, req, answer)
		if err != nil {
			return nil, err
		}
		put(out, events)
		at = answer.Stream.Next
	}
	out.Next, out.TotalSize = ids.Seal(at), wire.Number(len(out.Items))
	req.List().Links.Add("next", [2]string{"cursor", out.Next})
	return out, nil
}
