// Package broadcast wakes goroutines that wait for state to change, all at once.
package broadcast
