//go:build !full

package actors

import "time"

// How many forwards, and dead letters, a node has to publish that is killed half way.
const takenOver = 3000

// faultless is how long a cluster runs without a fault.
const faultless = 40 * time.Second
