//go:build !race

package store

// underRace says that the samples are small.
const underRace = false
