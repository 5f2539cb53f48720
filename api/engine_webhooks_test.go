package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/seal"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/sending"
	"github.com/ovation-analytics/ovation/api/webhooks/signature"
)

// The secrets of the fixture's webhooks, that of its first one, and a message of that one that was given up.
var (
	webhookSecrets = sending.NewSecrets(seal.SlotKeysOf(&[seal.SlotKeyBytes]byte{5}))
	webhookSecret  = signature.Secret{1, 2, 3}
	givenUpMessage = domain.MessageID{0x1b, 0xaa, 0x2e, 0x14, 0xf9, 0x2d, 0x7f, 0x7a, 0x50, 0x9b, 0x5a, 0x37, 0x43, 0x01, 0x8b, 0x28}
)

func (s *fakeEngine) putWebhook(account domain.AccountID, c *domain.PutWebhook) domain.Outcome {
	at := slices.IndexFunc(s.hooks, isWebhook(account, c.Webhook.ID))
	w := domain.Webhook{Account: account, Batch: 1, Created: c.At, Begin: c.Webhook.Begin}
	switch {
	case at >= 0:
		w = *s.hooks[at]
	case c.Webhook.ID != 0:
		return domain.Outcome{Code: domain.NotFound, Parameter: "webhookid", Message: "no such webhook"}
	}
	for _, name := range c.Given {
		switch name {
		case "Enabled":
			w.Disabled, w.Since = c.Webhook.Disabled, c.At
		case "Secret":
			w.Former, w.Until = w.Secret, c.At+domain.RotationLife
			w.Secret = c.Webhook.Secret
		default:
			overwrite(&w, c.Webhook, []string{name})
		}
	}
	w.Updated = max(c.At, w.Updated+1)
	isNew := w.ID == 0
	if isNew {
		w.ID = domain.WebhookID(len(s.hooks) + 1)
		s.hooks = append(s.hooks, &w)
	} else {
		s.hooks[at] = &w
	}
	s.next++
	return domain.Outcome{ID: uint32(w.ID), New: isNew}
}

// delivered is how far the fixture's first webhook came in two shards, and its receiver.
type delivered struct {
	progress [2]domain.Progress
	pending  [2][]domain.Undelivered
	ended    [2][]domain.Delivery
	failing  error
	again    int // records that are of a version that is not there any more

	posted []egress.Request
	answer egress.Answer
}

func (d *delivered) Shards() int { return 2 }

func (d *delivered) Progress(shard int, id domain.WebhookID) (domain.Progress, []domain.Undelivered, error) {
	if id != 1 {
		return domain.Progress{Webhook: id}, nil, d.failing
	}
	return d.progress[shard], d.pending[shard], d.failing
}

func (d *delivered) Ended(shard int, id domain.WebhookID, f func(*domain.Delivery)) error {
	if id == 1 {
		for i := range d.ended[shard] {
			f(&d.ended[shard][i])
		}
	}
	return d.failing
}

func (d *delivered) apply(c *domain.Delivered) domain.Outcome {
	if d.again > 0 {
		d.again--
		d.progress[c.Partition].Version++
	}
	next, changed := d.progress[c.Partition].After(c)
	if !changed {
		return domain.Outcome{Again: true}
	}
	d.progress[c.Partition] = next
	d.pending[c.Partition] = append(d.pending[c.Partition], c.Pending...)
	return domain.Outcome{ID: uint32(c.Webhook)}
}

func (d *delivered) Post(_ context.Context, r egress.Request) egress.Answer {
	d.posted = append(d.posted, r)
	if d.answer == (egress.Answer{}) {
		return egress.Answer{Status: http.StatusNoContent}
	}
	return d.answer
}
