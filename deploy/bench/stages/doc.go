// Package stages divides the CPU time of a node among the stages of an activity's way, by CPU
// profiles: a sample belongs to the innermost of our functions on its stack, or to a background
// goroutine that it was taken in. Pure functions over profiles.
package stages
