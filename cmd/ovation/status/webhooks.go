package status

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovation-analytics/ovation/api/webhooks/sending"
)

// What a node does for webhooks.
var (
	mWebhooks       = describe("webhooks_sending", "Webhooks whose events this node sends.")
	mWebhookPending = describe("webhook_events_pending",
		"Events of the webhooks that this node sends that were taken from their shards and are neither delivered nor given up: at most 1,000 a shard of each.")
	mWebhookTries = describe("webhook_requests_total",
		"Requests to receivers that ended, by outcome: success, status is an answer that is not 2xx, timeout, unreachable and broken had none.", "outcome")
	mWebhookSeconds   = describe("webhook_request_seconds_total", "Time that the requests to receivers took.")
	mWebhookDelivered = describe("webhook_events_delivered_total", "Events that receivers took.")
	mWebhookGivenUp   = describe("webhook_events_given_up_total", "Events that receivers did not take in three days.")
	mWebhookDisabled  = describe("webhooks_disabled_total", "Webhooks that this node disabled, since their receiver answered 410 or took nothing for five days.")
)

// RegisterWebhooks adds the metrics of what sends the events of webhooks.
func RegisterWebhooks(r *prometheus.Registry, stats func() sending.Stats) {
	r.MustRegister(collector(func(out sink) {
		s := stats()
		out.gauge(mWebhooks, float64(s.Sending))
		out.gauge(mWebhookPending, float64(s.Pending))
		for outcome, n := range s.Tries {
			out.counter(mWebhookTries, float64(n), outcome.String())
		}
		out.counter(mWebhookSeconds, s.Seconds)
		out.counter(mWebhookDelivered, float64(s.Delivered))
		out.counter(mWebhookGivenUp, float64(s.GivenUp))
		out.counter(mWebhookDisabled, float64(s.Disabled))
	}))
}
