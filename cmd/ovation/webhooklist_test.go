package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

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

// newListHook makes a webhook that sends the memberships of a segment, and in two of three cases all other events. Its events are
// those of what becomes visible after it was made.
func newListHook(ctx context.Context, e *engineLife, c *client.Client, segment string, rnd *rand.Rand) (*listHook, error) {
	events := "enter,leave"
	if rnd.IntN(3) > 0 {
		events += ",activity,removed,erased,merged,unmerged"
	}
	var w wire.Webhook
	if _, err := c.Post(ctx, "/v1.1/webhook/create", client.Params{"url": "https://hooks.example/", "events": events, "segment": segment}, &w); err != nil {
		return nil, err
	}
	out := &listHook{segment: segment, rnd: rnd, on: map[string]bool{}}
	for _, of := range e.Actors.Catalog().Webhooks() {
		if fmt.Sprint(of.ID) == w.ID {
			out.id, out.after, out.last = of.ID, of.Begin, make([]delivery.Event, len(of.Begin))
		}
	}
	return out, nil
}

// hook makes a webhook of a list that has members already.
func (h *ward) hook(c *client.Client, segment string, rnd *rand.Rand) *listHook {
	h.Helper()
	out, err := newListHook(h.Context(), h.engine, c, segment, rnd)
	h.must(err)
	out.on = h.onList(c, segment)
	return out
}

// source is the webhook's stream at a node; nil: the node does not know the webhook yet.
func (l *listHook) source(ctx context.Context, e *engineLife) (*feed.Webhook, error) {
	for _, w := range e.Actors.Catalog().Webhooks() {
		if w.ID == l.id {
			return feed.NewWebhook(ctx, e.API.Server, w)
		}
	}
	return nil, nil
}

// take takes events until its context ends, then all that there are.
func (l *listHook) take(ctx context.Context, h *ward) error {
	source, err := l.source(h.Context(), h.engine)
	if err != nil {
		return err
	}
	for {
		page, err := l.read(h.Context(), source)
		if domain.CodeOf(err) == domain.Unavailable {
			continue
		}
		if err == nil {
			err = l.apply(page)
		}
		if err != nil {
			return err
		}
		if page.more {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		_ = source.Await(ctx)
	}
}

// readAt reads at most so many pages of events at a node, until there are no more. Where the node is not available it reads none.
func (l *listHook) readAt(e *engineLife, pages int) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	source, err := l.source(ctx, e)
	for ; err == nil && source != nil && pages > 0; pages-- {
		var page *listPage
		page, err = l.read(ctx, source)
		if err != nil || e.power.isOff() { // a page that was read after the crash is dropped: no client received it
			break
		}
		if err := l.apply(page); err != nil {
			return fmt.Errorf("list %s: %w", l.segment, err)
		}
		if !page.more {
			return nil
		}
	}
	if err != nil && !e.power.isOff() && domain.CodeOf(err) != domain.Unavailable && ctx.Err() == nil {
		return fmt.Errorf("list %s: %w", l.segment, err)
	}
	return nil
}

// listPage is a page of events, with the contents of the memberships among them.
type listPage struct {
	events   [][]delivery.Event // by shard
	rendered [][]delivery.Rendered
	next     []uint64
	more     bool
}

// read reads the next page.
func (l *listHook) read(ctx context.Context, source *feed.Webhook) (*listPage, error) {
	page, err := source.Page(ctx, l.after, 1+l.rnd.IntN(20))
	if err != nil {
		return nil, err
	}
	out := &listPage{events: page.Events, rendered: make([][]delivery.Rendered, len(page.Events)), next: page.Next, more: page.More}
	for shard, events := range page.Events {
		lists := slices.DeleteFunc(slices.Clone(events), func(e delivery.Event) bool { return !domain.ListEvents.Has(e.Kind) })
		if out.rendered[shard], err = source.Render(ctx, shard, lists); err != nil {
			return nil, err
		}
		if !slices.EqualFunc(out.rendered[shard], lists, func(r delivery.Rendered, e delivery.Event) bool { return r.Event == e }) {
			return nil, fmt.Errorf("the memberships %v are rendered as %v", lists, out.rendered[shard])
		}
	}
	return out, nil
}

// apply keeps the list by a page.
func (l *listHook) apply(page *listPage) error {
	for shard, events := range page.events {
		for _, e := range events {
			last := &l.last[shard]
			if cmp.Or(cmp.Compare(e.Sequence, last.Sequence), cmp.Compare(e.Kind, last.Kind)) <= 0 {
				return fmt.Errorf("%+v comes after %+v", e, *last)
			}
			*last = e
		}
		l.actions += len(events) - len(page.rendered[shard])
		for _, r := range page.rendered[shard] {
			var m wire.Membership
			if err := json.Unmarshal(r.Data, &m); err != nil {
				return err
			}
			entered := r.Event.Kind == domain.EventEnter
			if m.SegmentID != l.segment || l.on[m.MemberID] == entered {
				return fmt.Errorf("%+v: %s is told twice, or of another segment", r.Event, r.Data)
			}
			if l.on[m.MemberID] = entered; !entered {
				delete(l.on, m.MemberID)
			}
		}
	}
	l.after = page.next
	return nil
}
