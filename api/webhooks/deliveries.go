package webhooks

import (
	"cmp"
	"context"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
	"github.com/ovation-analytics/ovation/api/page"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/wire"
)

// deliveriesIn are the parameters of a webhook's deliveries.
type deliveriesIn struct {
	pathIn
	Limit bind.Page `name:"limit" doc:"LIMIT or OFFSET,LIMIT; default 10, above 1000 it is clamped with a Warning, 0 gives totalSize alone" eg:"0,5"`
}

// listed is a message in the list of deliveries.
type listed struct {
	last int64 // when the last try ended, ms since 1970; 0: none did
	item wire.Delivery
}

// Deliveries lists the messages of a webhook: those that are pending, those that were given up in the last days and the
// last that the receiver took. The latest try comes first; what was not tried yet is before all.
func (s *Service) Deliveries(_ context.Context, req *serve.Request, in *deliveriesIn) (*wire.Deliveries, error) {
	w, err := req.Webhook(in.WebhookID, "webhookid")
	if err != nil {
		return nil, err
	}
	var all []listed
	for shard := range s.c.Deliveries.Shards() {
		place := delivery.Place{Webhook: uint32(w.ID), Shard: shard}
		_, pending, err := s.c.Deliveries.Progress(shard, w.ID)
		if err != nil {
			return nil, serve.WaitFault(err)
		}
		for i := range pending {
			all = append(all, pendingItem(place, &pending[i]))
		}
		if err := s.c.Deliveries.Ended(shard, w.ID, func(d *domain.Delivery) { all = append(all, endedItem(d)) }); err != nil {
			return nil, serve.WaitFault(err)
		}
	}
	slices.SortFunc(all, func(a, b listed) int {
		if (a.last == 0) != (b.last == 0) {
			return cmp.Compare(a.last, b.last) // 0 first
		}
		return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(a.item.ID, b.item.ID))
	})
	p := page.Paged{Limit: in.Limit}.Page(req)
	rows, paging := page.PageOf(req, p, all, func(*listed) page.Row { return page.Row{} }, page.ByID)
	out := &wire.Deliveries{TotalSize: wire.Number(len(all)), Items: make([]wire.Delivery, len(rows)), Paging: paging}
	for i := range rows {
		out.Items[i] = rows[i].item
	}
	return out, nil
}

// pendingItem is a message that is to be delivered.
func pendingItem(place delivery.Place, p *domain.Undelivered) listed {
	events := make([]delivery.Event, len(p.Events))
	for i, e := range p.Events {
		events[i] = delivery.EventOf(e)
	}
	return listed{p.Last, wire.Delivery{
		ID: place.MessageID(events).String(), Event: p.Events[0].Kind.String(), Events: len(events), Attempts: int(p.Tries),
		Status: wire.Null(p.Status), LastTry: wire.NullMillis(p.Last), NextTry: wire.NullMillis(p.Next),
	}}
}

// endedItem is a message that was delivered, or given up.
func endedItem(d *domain.Delivery) listed {
	return listed{d.At, wire.Delivery{
		ID: d.ID.String(), Event: d.Events[0].Kind.String(), Events: int(d.Count), Attempts: int(d.Tries), Status: wire.Null(d.Status),
		LastTry: wire.NullMillis(d.At), GivenUp: d.GivenUp,
	}}
}
