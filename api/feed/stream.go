package feed

import (
	"context"
	"reflect"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/selection"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/streams"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Streams answers the stream of the feed.
type Streams struct{ all *streams.Streams }

// NewStreams makes Streams among those of the node.
func NewStreams(all *streams.Streams) *Streams { return &Streams{all} }

// streamIn are the parameters of activity/feed/stream.
type streamIn struct {
	BrandID bind.ID    `name:"brandID" doc:"only actions for this brand" eg:"1"`
	Since   bind.Start `name:"start_date" doc:"begin with the actions that were recorded at this time or later; beside a cursor or Last-Event-ID it has no effect" eg:"2026-01-01 00:00:00"`
	Filters feedFilters
	Keyword string `name:"keyword" doc:"only actions with this text in a value of their Content, in any case" eg:"blue"`
	Cursor  string `name:"cursor" max:"4096" doc:"the id of an event: go on after it; the header Last-Event-ID is the same, and goes before it. Empty: all actions that there are, then those that come. Without it, and without start_date: those that come"`
}

// streamed is what a stream asks: the parameters that feed and stream have both, and what events it has.
type streamed struct {
	brand   bind.ID
	filters *selection.Filters
	keyword string
	kinds   domain.EventKinds
	kept    bool // memberships that are no longer kept are passed over
}

// List opens a stream.
func (s *Streams) List(ctx context.Context, req *serve.Request, in *streamIn) (*Stream, error) {
	token, given, err := req.LastEventID(in.Cursor)
	if err != nil {
		return nil, err
	}
	of := streamed{brand: in.BrandID, filters: (*selection.Filters)(&in.Filters), keyword: in.Keyword, kinds: domain.FeedEvents}
	out, err := s.all.Open(ctx, req, of, streams.Opening{Token: token, Given: given, Recorded: in.Since.Unix, Since: in.Since.Given})
	if err != nil {
		return nil, err
	}
	return &Stream{out}, nil
}

// Stream is the actions of a feed as they become visible, and what is taken back of them.
type Stream struct{ *streams.Stream }

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

// Ask asks for a stream's page, as of the request. Memberships are those of the list of the filter segment.
func (of streamed) Ask(ctx context.Context, req *serve.Request, from domain.StreamQuery) (*domain.Answer, *domain.Question, error) {
	from.Kinds, from.Kept = of.kinds, of.kept
	if of.kinds.Any(domain.ListEvents) {
		from.Segment = domain.SegmentID(of.filters.Segment)
	}
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

// Events are the events of a page.
func (of streamed) Events(ctx context.Context, req *serve.Request, answer *domain.Answer) ([]follow.Event, error) {
	all, err := tell(ctx, req, answer)
	if err != nil {
		return nil, err
	}
	out := make([]follow.Event, len(all))
	for i := range all {
		if out[i], err = streams.Event(all[i].StreamEvent, all[i].data); err != nil {
			return nil, err
		}
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
	of := streamed{brand: in.BrandID, filters: (*selection.Filters)(&in.Filters), keyword: in.Keyword, kinds: domain.FeedEvents}
	now, q, err := of.Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
	if err != nil {
		return nil, err
	}
	ids := req.List().StreamIDs(req.Account(), now.Position.Journal)
	at, err := streams.From(&ids, in.Cursor, now.Stream.Next)
	if err != nil {
		return nil, err
	}
	out := &wire.Feed{Items: []wire.FeedItem{}}
	if p.Limit > 0 && in.Cursor != page.StreamNow {
		q.Stream.Start, q.Stream.Above, q.Stream.Limit = domain.StreamAbove, at, p.Limit
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
