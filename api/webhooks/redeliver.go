package webhooks

import (
	"context"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/personal"
	"github.com/ovation-analytics/ovation/api/serve"
	"github.com/ovation-analytics/ovation/api/webhooks/sending"
	"github.com/ovation-analytics/ovation/api/wire"
)

// Message is the id of a message.
type Message domain.MessageID

// Pattern is the form of a message's id.
func (*Message) Pattern() string { return `^msg_[0-9a-f]{32}$` }

// ParseParam reads a message's id.
func (m *Message) ParseParam(s string) error {
	rest, ok := strings.CutPrefix(s, "msg_")
	if !ok || len(rest) != 2*len(m) || strings.ToLower(rest) != rest {
		return errMessage
	}
	b, err := hex.DecodeString(rest)
	if err != nil {
		return errMessage
	}
	*m = Message(b)
	return nil
}

var errMessage = errors.New("must be the webhook-id of a message")

// redeliverIn are the parameters of webhook/redeliver.
type redeliverIn struct {
	pathIn
	Message Message `name:"id" doc:"webhook-id of a message that is in the list of deliveries: its events are sent once more. Of a batch that the receiver took the events are not known any more: give its cursor" eg:"msg_1baa2e14f92d7f7a509b5a3743018b28"`
	Cursor  string  `name:"cursor" max:"4096" doc:"cursor of a body: all events after it are sent once more, those of its own message too"`
}

// Missing reports that neither is given.
func (in *redeliverIn) Missing(has func(string) bool) string {
	if !has("id") && !has("cursor") {
		return "id"
	}
	return ""
}

// Choice says that a cursor does as well.
func (in *redeliverIn) Choice(string) string { return "id or cursor" }

// Check refuses both.
func (in *redeliverIn) Check() *domain.Error {
	if in.Message != (Message{}) && in.Cursor != "" {
		return domain.Bad(domain.InvalidParameter, "cursor", "cursor cannot be given beside id")
	}
	return nil
}

// Redeliver has events sent once more, by the ids that they had.
func (s *Service) Redeliver(ctx context.Context, req *serve.Request, in *redeliverIn) (wire.Redelivery, error) {
	w, err := req.Webhook(in.WebhookID, "webhookid")
	if err != nil {
		return wire.Redelivery{}, err
	}
	if in.Message != (Message{}) {
		err = s.again(ctx, req, w, domain.MessageID(in.Message))
	} else {
		err = s.rewind(ctx, req, w, in.Cursor)
	}
	return wire.Redelivery{Accepted: err == nil}, err
}

// again has the events of a message sent once more.
func (s *Service) again(ctx context.Context, req *serve.Request, w *domain.Webhook, id domain.MessageID) error {
	shard, events, err := sending.Find(s.c.Deliveries, w, id)
	switch {
	case errors.Is(err, sending.ErrNoMessage):
		return domain.Bad(domain.NotFound, "id", "the webhook has no such message in its list of deliveries")
	case errors.Is(err, sending.ErrBatch):
		return domain.Bad(domain.InvalidParameter, "id", "id is that of a batch that was delivered: give the cursor of its body instead")
	case err != nil:
		return serve.WaitFault(err)
	}
	return s.change(ctx, req, shard, func() (*domain.Delivered, error) { return sending.Again(s.c.Deliveries, w, shard, events) })
}

// rewind has all events after a cursor sent once more.
func (s *Service) rewind(ctx context.Context, req *serve.Request, w *domain.Webhook, cursor string) error {
	at, err := feed.OpenWebhookCursor(ctx, req, w, cursor)
	if err != nil {
		return err
	}
	if len(at) != s.c.Deliveries.Shards() {
		return feed.ErrWebhookCursor
	}
	for shard := range at {
		if err := s.change(ctx, req, shard, func() (*domain.Delivered, error) { return sending.Rewind(s.c.Deliveries, w, shard, at[shard]) }); err != nil {
			return err
		}
	}
	return nil
}

// errUnchanged ends a change that has nothing to change.
var errUnchanged = errors.New("nothing is to be changed")

// change submits a record of progress in a shard until it is of the progress that there is.
func (s *Service) change(ctx context.Context, req *serve.Request, shard int, record func() (*domain.Delivered, error)) error {
	err := req.Beside("shard "+strconv.Itoa(shard), func() error {
		_, err := personal.Submit(ctx, req, func(sub *domain.Submission) error {
			d, err := record()
			switch {
			case errors.Is(err, sending.ErrFull):
				return domain.Fail(domain.Conflict, "1,000 events of the shard are undelivered, which is the most: try again when the receiver has taken some")
			case err != nil:
				return serve.WaitFault(err)
			case d == nil:
				return errUnchanged
			}
			sub.Command, sub.Slot = d, domain.FirstSlot(shard, s.c.Deliveries.Shards())
			return nil
		})
		return err
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}
