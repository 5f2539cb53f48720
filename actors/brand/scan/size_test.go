//go:build !race

package scan

// underRace says that the samples are small.
const underRace = false
