package publish

import (
	"math"
	"time"
)

// Pace is a schedule: when each of many things is due, counted from its beginning. What is
// measured from it has no coordinated omission: a wait that delays others counts for each.
type Pace struct {
	Rate float64 // a second
	// Spread shifts each within its interval, evenly over many, so that the schedule has no
	// beat with anything periodic.
	Spread bool
}

// Due is when the i-th is due, i from 0.
func (p Pace) Due(i int) time.Duration {
	at := float64(i)
	if p.Spread {
		_, part := math.Modf(at / math.Phi)
		at += part
	}
	return time.Duration(at / p.Rate * float64(time.Second))
}

// By is how many are due at a time, those of that moment among them; of a rate of 0 none.
func (p Pace) By(at time.Duration) int {
	if at < 0 || p.Rate == 0 {
		return 0
	}
	n := max(int(at.Seconds()*p.Rate)-1, 0)
	for p.Due(n) <= at {
		n++
	}
	return n
}
