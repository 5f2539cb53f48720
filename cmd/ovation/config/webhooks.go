package config

import (
	"fmt"

	"github.com/ovation-analytics/ovation/api/webhooks/egress"
)

// Webhooks is where a node may send the events of webhooks.
type Webhooks struct {
	WebhookAllow []string `sep:"," placeholder:"CIDR" help:"Networks that are not public and that webhooks may send to all the same, such as 10.1.0.0/16. Without any, webhooks reach public addresses alone."`
}

// Validate is what is wrong with the values.
func (w *Webhooks) Validate() error {
	if _, err := egress.ParseNetworks(w.WebhookAllow); err != nil {
		return fmt.Errorf("--webhook-allow: %w", err)
	}
	return nil
}

// Guard decides which addresses are dialled; the values are valid.
func (w *Webhooks) Guard() (*egress.Guard, error) {
	allow, err := egress.ParseNetworks(w.WebhookAllow)
	return egress.NewGuard(allow), err
}
