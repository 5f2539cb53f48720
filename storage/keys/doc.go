// Package keys stores a node's copy of the data keys, wrapped: it opens none. The topic keys has
// them; a key is written once and never rewritten, and deleted once.
//
// Follow writes what was read, and how far, in one batch: without an fsync, since the topic has it.
// A key that is deleted is remembered for 30 days, as long as the topic has its tombstone.
//
// The store is a Pebble of its own, so that it can be erased, and made again from the topic, apart
// from everything else. Keys, in byte order:
//
//	d hash [16] ─► of a key that was deleted, by a hash of its id: ver, z ms
//	f           ─► the format, "ovation keys 2"
//	k id [16]   ─► the wrapped key, whose first byte is its version
//	p           ─► the place: ver, topic [16], z next, z epoch, z read at
//
// A store of another format is refused. A second process gets Pebble's error of the lock. A disk
// that fails stops the store (package pebblefs); below MinFree bytes of free space there is no Room.
// A corrupt file is an error for what reads it. Files, the WAL
// among them, give up what was deleted with Reclaim.
//
// Any goroutine may call any method.
package keys
