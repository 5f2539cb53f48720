package node

import (
	"context"
	"crypto/rand"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/feed"
	"github.com/ovation-analytics/ovation/api/webhooks"
	"github.com/ovation-analytics/ovation/api/webhooks/delivery"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
	"github.com/ovation-analytics/ovation/api/webhooks/sending"
)

// OpenWebhooks opens what reaches the receivers of webhooks.
func (n *Node) OpenWebhooks() (webhooks.Config, error) {
	guard, err := n.Config.Webhooks.Guard()
	if err != nil {
		return webhooks.Config{}, err
	}
	client := egress.NewClient(guard, nil)
	n.OnClose(func() error { client.Close(); return nil })
	return webhooks.Config{Deliveries: n.Actors.Deliveries(), Secrets: sending.NewSecrets(n.Stores.Keys.Slots), Poster: client}, nil
}

// NewSender is what sends the events of the webhooks that a node has the duty for.
func (n *Node) NewSender(of webhooks.Config) *sending.Runner {
	return sending.NewRunner(sending.Config{
		Log:      n.Actors.Deliveries(),
		Webhooks: func() []*domain.Webhook { return n.Actors.Catalog().Webhooks() },
		Source: func(ctx context.Context, w *domain.Webhook) (delivery.Source, error) {
			return feed.NewWebhook(ctx, n.API.Server, w)
		},
		Secrets: of.Secrets.Of, Disable: n.disable, Poster: of.Poster, Logger: n.Log, TimeOfDay: n.Clock.At,
	})
}

// disable has a webhook send nothing more, on all nodes.
func (n *Node) disable(ctx context.Context, w *domain.Webhook, why domain.Disabled) error {
	s := domain.Submission{Account: w.Account, Command: &domain.PutWebhook{
		Webhook: domain.Webhook{ID: w.ID, Disabled: why, Updated: w.Updated}, Given: []string{"Enabled"}, At: n.Clock.Now().UnixMilli(),
	}}
	_, _ = rand.Read(s.Request[:]) // never fails
	out, err := n.Actors.Submit(ctx, s)
	if err == nil && out.Code != domain.NotFound { // a webhook that is deleted sends nothing
		err = out.Err()
	}
	return err
}
