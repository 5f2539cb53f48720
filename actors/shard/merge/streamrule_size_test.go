//go:build !full

package merge

// streamSchedules is how many TestStreamRule makes up.
const streamSchedules = 500
