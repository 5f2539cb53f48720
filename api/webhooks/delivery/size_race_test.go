//go:build race

package delivery

// How many random schedules are walked with the race detector.
const (
	schedules = 500
	kills     = 10
)
