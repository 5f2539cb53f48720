//go:build race

package activity

// With the race detector a sync.Pool forgets at random.
const underRace = true
