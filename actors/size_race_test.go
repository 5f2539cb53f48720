//go:build race

package actors

// sampled is how many of n random cases run: few where each takes ten times as long.
func sampled(n int) int { return n / 5 }
