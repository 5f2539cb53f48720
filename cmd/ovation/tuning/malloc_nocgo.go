//go:build !cgo || !linux

package tuning

// Without cgo the store's cache and write buffers are in Go's heap.

func trimMalloc() {}
