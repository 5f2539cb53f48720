// Package cow has a copy-on-write array: one goroutine writes, any goroutine reads a copy of
// it as of an epoch.
package cow
