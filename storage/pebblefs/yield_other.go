//go:build !linux

package pebblefs

// Yield does nothing: threads have no priority of their own here.
func Yield() {}
