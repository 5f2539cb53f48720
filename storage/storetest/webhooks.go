package storetest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// modelWebhook is what is kept of a webhook.
type modelWebhook struct {
	Progress domain.Progress
	pending  map[domain.EventPlace]domain.Undelivered
	taken    []domain.Delivery
	givenUp  map[givenUp]domain.Delivery
}

// givenUp is when an event was given up.
type givenUp struct {
	at int64
	of domain.EventPlace
}

// progress takes how far the events of a webhook came.
func (m *Model) progress(c *domain.ProgressChange) {
	d := c.From
	if d.Forget {
		delete(m.Webhooks, d.Webhook)
		return
	}
	w := m.Webhooks[d.Webhook]
	if w == nil {
		w = &modelWebhook{pending: map[domain.EventPlace]domain.Undelivered{}, givenUp: map[givenUp]domain.Delivery{}}
		m.Webhooks[d.Webhook] = w
	}
	w.Progress = c.Progress
	for _, at := range d.Done {
		delete(w.pending, at)
	}
	for _, p := range d.Pending {
		w.pending[p.Place()] = p
	}
	for _, e := range d.Ended {
		if e.GivenUp {
			w.givenUp[givenUp{e.At, e.Events[0].EventPlace}] = e
		} else {
			w.taken = append(w.taken, e)
		}
	}
	if len(d.Ended) > 0 {
		maps.DeleteFunc(w.givenUp, func(_ givenUp, e domain.Delivery) bool { return e.At < c.Clock-domain.GivenUpLife })
	}
}

// Pending is what of a webhook is pending, by its places.
func (w *modelWebhook) Pending() (out []domain.Undelivered) {
	for _, p := range w.pending {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b domain.Undelivered) int { return comparePlaces(a.Place(), b.Place()) })
	return out
}

// Ended is what of a webhook ended and is listed: the last messages that the receiver took, and those that were given up.
func (w *modelWebhook) Ended() (taken, givenUp []domain.Delivery) {
	taken = slices.Clone(w.taken[max(0, len(w.taken)-domain.MaxDeliveries):])
	return taken, slices.Collect(maps.Values(w.givenUp))
}

func comparePlaces(a, b domain.EventPlace) int {
	return cmp.Or(cmp.Compare(a.Sequence, b.Sequence), cmp.Compare(a.Kind, b.Kind))
}

// webhook makes a step of a webhook's progress.
func (w *Generator) webhook() {
	d := &domain.Delivered{Webhook: domain.WebhookID(1 + w.Rand.IntN(3)), Node: domain.NodeID{1}, Through: w.State.Sequence}
	var before domain.Progress
	of := w.Model.Webhooks[d.Webhook]
	if of != nil {
		before = of.Progress
	}
	d.Base, d.Success, d.Forget = before.Version, w.State.Clock, w.Rand.IntN(40) == 0
	event := func() domain.Event {
		place := domain.EventPlace{Sequence: uint64(w.Rand.IntN(50)), Kind: domain.EventKind(1 + w.Rand.IntN(3))}
		return domain.Event{EventPlace: place, Member: domain.MemberID(w.Rand.IntN(9))}
	}
	put := map[domain.EventPlace]bool{}
	for range w.Rand.IntN(4) {
		p := domain.Undelivered{Events: []domain.Event{event(), event()}[:1+w.Rand.IntN(2)], Tries: uint32(w.Rand.IntN(3)), Status: "503"}
		if !put[p.Place()] {
			put[p.Place()] = true
			d.Pending = append(d.Pending, p)
		}
	}
	if of != nil {
		for _, p := range of.Pending() {
			if at := p.Place(); !put[at] && at.Sequence%3 == uint64(w.Rand.IntN(3)) {
				d.Done = append(d.Done, at)
			}
		}
	}
	for range w.Rand.IntN(4) {
		e := domain.Delivery{ID: domain.MessageID{1, byte(w.Rand.IntN(256))}, Events: []domain.Event{event()}, Count: 1, Tries: 1, At: w.State.Clock, Status: "204", GivenUp: w.Rand.IntN(3) == 0}
		d.Ended = append(d.Ended, e)
	}
	next, _ := before.After(d)
	w.add(domain.ProgressPut, &domain.ProgressChange{Progress: next, From: d, Clock: w.State.Clock})
}
