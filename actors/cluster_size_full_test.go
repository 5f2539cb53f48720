//go:build full

package actors

import "time"

// How many forwards, and dead letters, a node has to publish that is killed half way.
const takenOver = 60_000

// faultless is how long a cluster runs without a fault.
const faultless = 5 * time.Minute
