package wire

import (
	"encoding/json"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// Webhook is a webhook of the account.
type Webhook struct {
	ID        string          `json:"ID"`
	URL       string          `json:"URL"`
	Events    []string        `json:"Events"`
	BrandID   *string         `json:"BrandID"`
	SegmentID *string         `json:"SegmentID"`
	Filters   json.RawMessage `json:"Filters"`
	Batch     int             `json:"Batch"`
	Enabled   bool            `json:"Enabled"`
	Created   string          `json:"Created"`
	Failing   *WebhookFailing `json:"Failing"`
	Secret    string          `json:"Secret,omitempty"`
}

// WebhookFailing is what is wrong with a webhook.
type WebhookFailing struct {
	Reason string  `json:"Reason"` // receiver, disabled, gone or filters
	Since  *string `json:"Since"`
	Detail string  `json:"Detail"`
}

// WebhookOf renders a webhook without its secret.
func WebhookOf(w *domain.Webhook, failing *WebhookFailing) Webhook {
	out := Webhook{
		ID: Number(w.ID), URL: w.URL, Events: []string{}, BrandID: Null(w.Filter("brandID")), SegmentID: Null(w.Filter("segment")),
		Batch: max(int(w.Batch), 1), Enabled: w.Disabled == domain.NotDisabled, Created: Millis(w.Created), Failing: failing,
	}
	for _, k := range w.Events.List() {
		out.Events = append(out.Events, k.String())
	}
	filters := make(map[string]string, len(w.Filters))
	for _, f := range w.Filters {
		filters[f.Name] = f.Value
	}
	out.Filters, _ = Encode(filters) // never fails: texts alone
	return out
}

// Webhooks is a list of webhooks.
type Webhooks struct {
	TotalSize string    `json:"totalSize"`
	Items     []Webhook `json:"items"`
	Paging    Paging    `json:"paging"`
}

// WebhookTest is what became of an event test.
type WebhookTest struct {
	Status string `json:"Status"`
}

// Delivery is a message of a webhook.
type Delivery struct {
	ID       string  `json:"ID"`
	Event    string  `json:"Event"`
	Events   int     `json:"Events"`
	Attempts int     `json:"Attempts"`
	Status   *string `json:"Status"`
	LastTry  *string `json:"LastTry"`
	NextTry  *string `json:"NextTry"`
	GivenUp  bool    `json:"GivenUp"`
}

// Deliveries is a list of messages.
type Deliveries struct {
	TotalSize string     `json:"totalSize"`
	Items     []Delivery `json:"items"`
	Paging    Paging     `json:"paging"`
}

// Redelivery is the answer to what is to be sent once more.
type Redelivery struct {
	Accepted bool `json:"accepted"`
}
