//go:build !race

package delivery

// How many random schedules are walked.
const (
	schedules = 20_000
	kills     = 60
)
