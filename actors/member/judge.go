package member

import (
	"cmp"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// maxAhead is how far in the log's future an activity may lie.
const maxAhead = 3600

// Judge decides on the time of an activity at the log's time (ms since 1970),
// when months before expired are dropped. An activity without a time gets the
// log's; one that a dead letter was replayed as gets that of its first arrival, on whose day it counts. It is
// judged where it is applied and not at the router, so that a repeat of the record meets the same verdict (I6).
func Judge(a *domain.Activity, logTime int64, expired domain.Month) domain.Reason {
	if a.Defaulted {
		a.Time = cmp.Or(a.Received, logTime) / 1000
	}
	switch {
	case a.Time < int64(domain.FirstSecond):
		return domain.BadTime
	case a.Time > logTime/1000+maxAhead:
		return domain.FutureTime
	case domain.MonthOf(domain.Second(a.Time)) < expired:
		return domain.TooOld
	}
	return domain.Accepted
}
