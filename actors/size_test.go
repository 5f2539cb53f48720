//go:build !race

package actors

// sampled is how many of n random cases run.
func sampled(n int) int { return n }
