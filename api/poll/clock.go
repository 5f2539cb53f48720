package poll

import (
	"slices"
	"time"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/api/bind"
)

// Clock is a request's time, and the ranges that were resolved by it.
type Clock struct {
	Now    time.Time
	Ranges []Range
}

// Range is a range by the clock.
type Range struct {
	In       bind.Range
	Most     bind.Period
	Span     bind.Span
	Warnings []string
	Shown    bool // in X-Range
}

// Resolve is the range that parameters mean now; a poll of another minute resolves again.
func (c *Clock) Resolve(in bind.Range, maxPeriod bind.Period, shown bool) (Range, *domain.Error) {
	span, warnings, fault := in.Resolve(c.Now, maxPeriod)
	r := Range{in, maxPeriod, span, warnings, shown}
	same := func(o Range) bool { return o.In == in && o.Most == maxPeriod && o.Shown == shown }
	if fault == nil && !slices.ContainsFunc(c.Ranges, same) {
		c.Ranges = append(c.Ranges, r)
	}
	return r, fault
}

// Set sets the time, where it is not zero, to that of an earlier request.
func (c *Clock) Set(at time.Time) {
	if !at.IsZero() {
		c.Now = at
	}
}

// Minute is what all ranges by the clock are made from: now is the coming full one.
func (c *Clock) Minute() int64 { return c.Now.Unix() / 60 }
