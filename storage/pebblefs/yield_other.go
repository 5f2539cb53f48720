//go:build !linux

package pebblefs

// yield does nothing: threads have no priority of their own here.
func yield() {}
