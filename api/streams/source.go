package streams

import (
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/follow"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// source makes the pages of a stream. What they are selected by is found again for each: definitions, segments and
// members are those of its time.
type source struct {
	of   Question
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
		answer, q, err := s.of.Ask(ctx, req, domain.StreamQuery{Above: after, Limit: domain.MaxStreamPage})
		if err != nil {
			return nil, err
		}
		s.asked = q
		out := &follow.Page{To: answer.Stream.Next, More: answer.Stream.More}
		out.Events, err = s.of.Events(ctx, req, answer)
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

// Event is an event as clients get it: data is what its JSON is made of.
func Event(e *domain.StreamEvent, data any) (follow.Event, error) {
	b, err := wire.Encode(data)
	if err != nil {
		return follow.Event{}, &domain.Error{Code: domain.Internal, Op: "stream", Err: err}
	}
	text := slices.Concat([]byte("event: "+e.Kind().String()+"\ndata: "), b, []byte("\n"))
	return follow.Event{Shard: e.Shard, Seq: e.Sequence(), Text: text}, nil
}
