// Package outbox publishes what a shard sends: records to other shards, dead letters, and tombstones
// of data keys. The entries are part of the shard's state; the outbox brings them, in order and
// leaving none out, into their logs. Each Kind has a cursor and a goroutine of its own, so that a dead
// letter holds up no forward. How far a kind came is reported to the shard, which notes it in its journal: that
// record trims the stored entries. A replay makes the same entries again (I6), and a receiver drops
// what it has by its origin (I2).
//
// The shard stages entries and hands them over at its commit, on its own goroutine; a Status
// is what others read, on any goroutine.
package outbox
