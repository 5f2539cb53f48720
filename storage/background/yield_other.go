//go:build !linux

package background

// Yield does nothing: threads have no priority of their own here.
func Yield() {}
