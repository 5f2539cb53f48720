package sending

import (
	"errors"
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
)

// Reader is the part of a Log that tells how far webhooks came.
type Reader interface {
	Shards() int
	Progress(shard int, id domain.WebhookID) (domain.Progress, []domain.Undelivered, error)
	Ended(shard int, id domain.WebhookID, f func(*domain.Delivery)) error
}

// Why events are not sent once more.
var (
	ErrNoMessage = errors.New("the webhook has no such message in its list")
	ErrBatch     = errors.New("of a batch that was delivered the events are not known")
	ErrFull      = errors.New("the webhook has no room for events of the shard")
)

// Find is the shard and the events of a message that is pending, was given up, or is among the last that were delivered.
func Find(r Reader, w *domain.Webhook, id domain.MessageID) (shard int, events []domain.Event, err error) {
	batch := false
	for shard := range r.Shards() {
		_, pending, err := r.Progress(shard, w.ID)
		if err != nil {
			return 0, nil, err
		}
		place := delivery.Place{Webhook: uint32(w.ID), Shard: shard}
		for i := range pending {
			if place.MessageID(delivery.EventsOf(pending[i].Events)) == id {
				return shard, pending[i].Events, nil
			}
		}
		err = r.Ended(shard, w.ID, func(d *domain.Delivery) {
			switch {
			case d.ID != id:
			case d.GivenUp || d.Count == 1:
				events = slices.Clone(d.Events)
			default:
				batch = true
			}
		})
		if err != nil || events != nil {
			return shard, events, err
		}
	}
	if batch {
		return 0, nil, ErrBatch
	}
	return 0, nil, ErrNoMessage
}

// Again is the record by which events of a shard are sent once more; nil: they are pending, and come anyway.
func Again(r Reader, w *domain.Webhook, shard int, events []domain.Event) (*domain.Delivered, error) {
	return changed(r, w, shard, func(q *delivery.Queue) error {
		for _, e := range delivery.EventsOf(events) {
			if !q.Again(e) {
				return ErrFull
			}
		}
		return nil
	})
}

// Rewind is the record by which all events of a shard after a place are sent once more; nil: none was taken.
func Rewind(r Reader, w *domain.Webhook, shard int, after uint64) (*domain.Delivered, error) {
	return changed(r, w, shard, func(q *delivery.Queue) error {
		q.Rewind(after)
		return nil
	})
}

// asKept leaves times as they are kept.
var asKept = clock(func(t time.Time) time.Time { return t })

// changed is the record of a queue of which an account changed something; nil: it did not.
func changed(r Reader, w *domain.Webhook, shard int, change func(*delivery.Queue) error) (*domain.Delivered, error) {
	before, state, p, err := loadShard(r, w, asKept, shard)
	if err != nil {
		return nil, err
	}
	q := delivery.NewQueue(delivery.Place{Webhook: uint32(w.ID), Shard: shard}, int(w.Batch), state)
	if err := change(q); err != nil {
		return nil, err
	}
	if !q.Moved() {
		return nil, nil
	}
	after := q.State()
	record, _ := recordOf(w, asKept, shard, &before, &after)
	record.Success, record.Failing = p.Success, p.Failing
	return record, nil
}
