//go:build race

package trace

// raced says that the detector counts allocations of its own.
const raced = true
