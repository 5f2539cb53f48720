//go:build race

package store

// underRace says that the samples are small: each takes ten times as long, half of it for the
// stacks that Pebble keeps of who uses a table.
const underRace = true
