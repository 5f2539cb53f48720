// Package verify replays journals beside the running node. A verification compares what is
// stored with what a replay gives; a rebuild replaces what is stored by it.
//
//	Open ──► Verifier  shards side by side: replay into a shadow store, compare both at one
//	     │             offset, and what is stored with itself; the last run is kept on disk
//	     └─► Rebuilder one shard after the other: replay into a replacement, reopen the shard
//
// One run at a time, of either kind: they share memory, and a rebuild takes away what a
// verification reads. A run has one goroutine per shard under way; its pacers bound what all
// of them do in a second, so that the node answers beside it. A run that is cancelled or
// fails leaves every shard either as it was or rebuilt.
//
// Runs are values with JSON shapes: of the admin port's answers, of /status, and of the
// commands verify and rebuild. Start, Cancel, Last and Close may be called on any goroutine.
package verify
