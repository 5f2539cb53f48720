package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/client"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/wire"
)

// listHook takes the events of a webhook with a segment's list, as its sender does.
type listHook struct {
	segment string
	id      domain.WebhookID
	rnd     *rand.Rand
	after   []uint64
	last    []delivery.Event // by shard: taken last
	on      map[string]bool  // who is on the list, as its events say
	actions int
}

// hook makes a webhook of a segment's list, and of all else that webhooks send or of nothing else.
func (h *ward) hook(c *client.Client, segment string, rnd *rand.Rand) *listHook {
	h.Helper()
	events := "enter,leave"
	if rnd.IntN(3) > 0 {
		events += ",activity,removed,erased,merged,unmerged"
	}
	var w wire.Webhook
	_, err := c.Post(h.Context(), "/v1.1/webhook/create", client.Params{"url": "https://hooks.example/", "events": events, "segment": segment}, &w)
	h.must(err)
	out := &listHook{segment: segment, rnd: rnd, on: h.onList(c, segment)}
	for _, of := range h.engine.Actors.Catalog().Webhooks() {
		if fmt.Sprint(of.ID) == w.ID {
			out.id, out.after, out.last = of.ID, of.Begin, make([]delivery.Event, len(of.Begin))
		}
	}
	return out
}

// take takes events until its context ends, then all that there are.
func (l *listHook) take(ctx context.Context, h *ward) error {
	var of *domain.Webhook
	for _, w := range h.engine.Actors.Catalog().Webhooks() {
		if w.ID == l.id {
			of = w
		}
	}
	source, err := feed.NewWebhook(h.Context(), h.engine.API.Server, of)
	if err != nil {
		return err
	}
	for {
		page, err := source.Page(h.Context(), l.after, 1+l.rnd.IntN(20))
		switch {
		case domain.CodeOf(err) == domain.Unavailable:
			continue
		case err != nil:
			return err
		}
		for shard, events := range page.Events {
			if err := l.apply(h.Context(), source, shard, events); err != nil {
				return err
			}
		}
		l.after = page.Next
		if page.More {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		_ = source.Await(ctx)
	}
}

// apply renders the events of a shard, and keeps the list by them.
func (l *listHook) apply(ctx context.Context, source *feed.Webhook, shard int, events []delivery.Event) error {
	for _, e := range events {
		last := &l.last[shard]
		if cmp.Or(cmp.Compare(e.Sequence, last.Sequence), cmp.Compare(e.Kind, last.Kind)) <= 0 {
			return fmt.Errorf("%+v comes after %+v", e, *last)
		}
		*last = e
	}
	lists := slices.DeleteFunc(slices.Clone(events), func(e delivery.Event) bool { return !domain.ListEvents.Has(e.Kind) })
	l.actions += len(events) - len(lists)
	rendered, err := source.Render(ctx, shard, lists)
	if err != nil || len(rendered) != len(lists) {
		return fmt.Errorf("%d of %d memberships are rendered: %w", len(rendered), len(lists), err)
	}
	for i, r := range rendered {
		var m wire.Membership
		if err := json.Unmarshal(r.Data, &m); err != nil {
			return err
		}
		entered := r.Event.Kind == domain.EventEnter
		if r.Event != lists[i] || m.SegmentID != l.segment || l.on[m.MemberID] == entered {
			return fmt.Errorf("%+v: %s is told twice, or of another segment", r.Event, r.Data)
		}
		if l.on[m.MemberID] = entered; !entered {
			delete(l.on, m.MemberID)
		}
	}
	return nil
}
