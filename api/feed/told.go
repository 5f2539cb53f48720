package feed

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/wire"
)

// told is an event of a stream as clients get it.
type told struct {
	*domain.StreamEvent
	data any // *wire.FeedItem, *wire.RemovedAction, *wire.ErasedMember, *wire.Membership or *wire.MergedMember
}

// tell is what a page of a stream says as of now, in the page's order. An action that is gone since the page was read is left
// out: that it was removed comes later.
func tell(ctx context.Context, req *serve.Request, answer *domain.Answer) ([]told, error) {
	all := answer.Stream.Events
	var items []domain.FeedItem
	for i := range all {
		if all[i].Kind() == domain.EventActivity {
			items = append(items, all[i].Item)
		}
	}
	known := survivors{}
	actions, shown, err := shownAs(ctx, req, items, answer.Position, func(id domain.MemberID) (*domain.Member, error) {
		return known.of(ctx, req, id)
	})
	if err != nil {
		return nil, err
	}
	out := make([]told, 0, len(all))
	for i := range all {
		e := &all[i]
		switch e.Kind() {
		case domain.EventRemoved:
			out = append(out, told{e, &wire.RemovedAction{ID: wire.Number(e.Notice.Action)}})
			continue
		case domain.EventErased:
			out = append(out, told{e, &wire.ErasedMember{MemberID: wire.Number(e.Notice.Member)}})
			continue
		case domain.EventEnter, domain.EventLeave:
			out = append(out, told{e, wire.MembershipOf(&e.Membership)})
			continue
		case domain.EventMerged, domain.EventUnmerged:
			out = append(out, told{e, &wire.MergedMember{MemberID: wire.Number(e.Notice.Member), MergedMemberID: wire.Number(e.Notice.Other)}})
			continue
		case domain.EventActivity:
		}
		if shown[0].Member != nil && shown[0].Content != nil {
			if shown[0].Member.ID != e.Item.Member {
				actions[0].MergedMemberID = wire.Number(e.Item.Member)
			}
			out = append(out, told{e, &actions[0]})
		}
		actions, shown = actions[1:], shown[1:]
	}
	return out, nil
}

// json is the data of an event as JSON.
func (t *told) json() ([]byte, error) {
	b, err := wire.Encode(t.data)
	if err != nil {
		return nil, &domain.Error{Code: domain.Internal, Op: "stream", Err: err}
	}
	return b, nil
}

// put adds events to the answer of a page of a stream.
func put(out *wire.Feed, events []told) {
	for i := range events {
		switch data := events[i].data.(type) {
		case *wire.FeedItem:
			out.Items = append(out.Items, *data)
		case *wire.RemovedAction:
			out.Removed = append(out.Removed, *data)
		case *wire.ErasedMember:
			out.Erased = append(out.Erased, *data)
		}
	}
}
