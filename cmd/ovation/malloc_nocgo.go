//go:build !cgo || !linux

package main

// Without cgo the store's cache and write buffers are of Go's heap.

func trimMalloc() {}
