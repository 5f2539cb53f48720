package delivery

import (
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/webhooks/egress"
)

// DisableAfter is how long a receiver may fail without one success before its webhook is disabled.
const DisableAfter = 5 * 24 * time.Hour

// Reason is why a webhook is disabled.
type Reason = domain.Disabled

// The reasons.
const (
	Enabled = domain.NotDisabled
	Gone    = domain.DisabledByGone    // the receiver answered 410
	Failing = domain.DisabledByFailing // no success for DisableAfter
)

// Health is how a receiver fares.
type Health struct {
	Success time.Time // the last; zero: none yet
	Failing time.Time // the first failure since; zero: none
}

// note takes what became of a try, and tells whether the webhook is to be disabled.
func (h *Health) note(now time.Time, a egress.Answer) Reason {
	if a.Failure == egress.None {
		*h = Health{Success: now}
		return Enabled
	}
	if h.Failing.IsZero() {
		h.Failing = now
	}
	switch {
	case a.Gone():
		return Gone
	case now.Sub(h.Failing) >= DisableAfter:
		return Failing
	}
	return Enabled
}
