package main

import (
	"math"
	"time"
)

// pace is a schedule: when each of many things is due, counted from its beginning,
// whatever became of those before. What is measured from it has no coordinated
// omission: a wait that holds up others counts for each of them.
type pace struct {
	rate float64 // a second
	// spread sets each at a place of its own in its stretch of time, evenly over many, so
	// that none keeps step with something that happens every so often.
	spread bool
}

// due is when the i-th is due, i from 0.
func (p pace) due(i int) time.Duration {
	at := float64(i)
	if p.spread {
		_, part := math.Modf(at / math.Phi)
		at += part
	}
	return time.Duration(at / p.rate * float64(time.Second))
}

// by is how many are due at a time, those of that moment among them; of a rate of 0 none.
func (p pace) by(at time.Duration) int {
	if at < 0 || p.rate == 0 {
		return 0
	}
	n := max(int(at.Seconds()*p.rate)-1, 0)
	for p.due(n) <= at {
		n++
	}
	return n
}
