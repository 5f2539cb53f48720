// Package pebblefstest runs tests on a disk that fails in a process of their own: a store that
// stopped keeps its goroutines until the process ends.
package pebblefstest
