package segments

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/streams"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Streams answers the streams of who comes onto lists and leaves them.
type Streams struct{ all *streams.Streams }

// NewStreams makes Streams among those of the node.
func NewStreams(all *streams.Streams) *Streams { return &Streams{all} }

// streamIn are the parameters of a segment's stream.
type streamIn struct {
	SegmentID bind.ID `name:"segmentid" doc:"id of a segment" eg:"1"`
	Cursor    string  `name:"cursor" max:"4096" doc:"the id of an event: go on after it; the header Last-Event-ID is the same, and goes before it. Empty: all that is kept, then what comes. Without it: what comes"`
}

// Stream is who comes onto a segment's list, and who leaves it.
type Stream struct{ *streams.Stream }

// MediaType is that of server-sent events.
func (*Stream) MediaType() string { return serve.EventsType }

// EventShapes are the shapes of the data of the events by their names.
func (*Stream) EventShapes() map[string]reflect.Type {
	return map[string]reflect.Type{
		domain.EventEnter.String(): reflect.TypeFor[wire.Membership](),
		domain.EventLeave.String(): reflect.TypeFor[wire.Membership](),
	}
}

// List opens a stream. All shards keep the list's memberships before it does.
func (s *Streams) List(ctx context.Context, req *serve.Request, in *streamIn) (*Stream, error) {
	of, err := req.Segment(in.SegmentID, "segmentid")
	if err != nil {
		return nil, err
	}
	token, given, err := req.LastEventID(in.Cursor)
	if err != nil {
		return nil, err
	}
	if err := Follow(ctx, req, of); err != nil {
		return nil, err
	}
	out, err := s.all.Open(ctx, req, memberships{of.ID}, streams.Opening{Token: token, Given: given})
	if err != nil {
		return nil, err
	}
	return &Stream{out}, nil
}

const (
	// followEvery is after how long a segment that is followed is said to be followed once more.
	followEvery = 24 * 3600 * 1000
	// followWait is how long the first reader of a list waits for all shards to keep its memberships.
	followWait = 10 * time.Second
	followLook = 50 * time.Millisecond
)

// Follow has all shards keep the memberships of a segment's list.
func Follow(ctx context.Context, req *serve.Request, of *domain.Segment) error {
	if now := req.Clock.Now.UnixMilli(); !of.IsFollowed(now) || now-of.Followed > followEvery {
		err := req.Beside("follow", func() error {
			_, err := req.Command(ctx, &domain.FollowSegment{ID: of.ID, At: now})
			return err
		})
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, followWait)
	defer cancel()
	for {
		_, _, err := memberships{of.ID}.Ask(ctx, req, domain.StreamQuery{Start: domain.StreamNow})
		if !errors.Is(err, domain.ErrNotFollowed) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(followLook):
		}
	}
}

// memberships is what the stream of a segment asks.
type memberships struct{ segment domain.SegmentID }

// Ask asks for a page. The segment may be deleted since the stream began.
func (m memberships) Ask(ctx context.Context, req *serve.Request, from domain.StreamQuery) (*domain.Answer, *domain.Question, error) {
	if _, err := req.Segment(bind.ID(m.segment), "segmentid"); err != nil {
		return nil, nil, err
	}
	from.Kinds, from.Segment = domain.ListEvents, m.segment
	q := &domain.Question{Account: req.Account(), Shape: domain.ShapeStream, Range: domain.AllTime, Stream: from}
	answer, err := req.Ask(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if answer.Stream == nil {
		return nil, nil, serve.ErrShape("stream")
	}
	return answer, q, nil
}

// Events are the events of a page.
func (memberships) Events(_ context.Context, _ *serve.Request, answer *domain.Answer) ([]follow.Event, error) {
	all := answer.Stream.Events
	out := make([]follow.Event, len(all))
	for i := range all {
		e, err := streams.Event(&all[i], wire.MembershipOf(&all[i].Membership))
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}
