//go:build race

package ingest

// With the race detector a sync.Pool forgets at random.
const underRace = true
