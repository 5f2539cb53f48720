// Package keys stores a node's data keys, wrapped: it opens none. A key is written once and
// never rewritten.
//
//	embedded log    the store is the original: Put is durable when it returns
//	Apache Kafka    the store is a copy of the topic keys: Follow writes what was read, and how
//	                far, in one batch; without an fsync, since the topic has it
//
// The store is a Pebble of its own, so that it can be kept, backed up and erased apart from
// everything else. Keys, in byte order:
//
//	f           ─► the format, "ovation keys 1" or "ovation copied keys 1"
//	k id [16]   ─► the wrapped key, whose first byte is its version
//	p           ─► of a copy its place: ver, topic [16], z next, z epoch, z read at
//
// A store of another format is refused, an original where a copy is wanted too. A second process
// gets Pebble's error of the lock. A disk that fails stops the store (package pebblefs); below
// MinFree bytes of free space Put refuses, and goes on by itself when there is more. A corrupt
// file is an error for what reads it.
//
// Any goroutine may call any method.
package keys
