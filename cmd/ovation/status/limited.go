package status

import "github.com/ovation-analytics/ovation/api"

var mLimited = describe("limited_requests_total",
	"Requests over a limit of their account: refused by the rate, served above a soft rate, refused by the requests of the month.",
	"limit")

// collectLimited makes the metric of requests over limits. It names no account.
func collectLimited(limited func() api.Limited) func(out sink) {
	return func(out sink) {
		l := limited()
		for limit, n := range map[string]uint64{"rate": l.Refused, "soft_rate": l.Served, "month": l.Month} {
			out.counter(mLimited, float64(n), limit)
		}
	}
}
