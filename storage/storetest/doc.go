// Package storetest makes commits as a shard's actors would, at random by a seed, and holds
// the naive model of what a store must answer after them. Compact writes a store again, for tests of
// what its files hold. Tests only; one goroutine.
package storetest
