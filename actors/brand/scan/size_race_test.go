//go:build race

package scan

// underRace says that the samples are small: each question takes ten times as long.
const underRace = true
