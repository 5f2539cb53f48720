// Package store keeps what shards and the catalog know, in Pebble: one store per
// node for all its shards, and one for the catalog. The log (package ingest/broker/log)
// is a store of its own.
//
//	shard's goroutine                                    any goroutine
//	  Stage(changes) ─► open batch, tail, state hash       Snapshot ─► rows, contents,
//	  Seen(hash)     ─► filter, tail, t                      ▲         members, requests
//	  Commit(state)  ─► T c (t R C n when the tail is full)  │ as of the last commit
//	                    origins, state ─► one batch ─────────┘
//
// Promised:
//
//   - Everything a commit staged, the state and the origins that moved become
//     durable together or not at all (I3): there is one batch a commit, it is
//     durable SyncWithin later, and nothing needs repair after a kill: what the last
//     commits had is applied once more, from the journal.
//   - Nothing here depends on a clock, on chance or on the order of a map (I6): the
//     same changes give the same answers, the same state hash and the same rows, however
//     they were cut into commits and however Pebble groups merge operands.
//   - Seen is exact. Filters only save reads; none is stored.
//   - An error of writing is never ignored: the store fails as a whole and for
//     good, every later call returns the first error, Failed is closed, and the
//     process lives. It has to end before the store can be opened again.
//   - What cannot be read is an error for the shard or the snapshot that reads it, and
//     for no other (package pebblefs). Below MinFree Room says that the disk is nearly
//     full, before a write finds it so.
//
// Not promised: that staged changes are visible to any reader but Seen; that bytes
// are equal on two nodes (width classes and the grouping of operands differ, rows
// do not).
//
// Where to begin, from the top:
//
//	store.go shard.go             opening; look-ups of a shard
//	commit.go staging.go          changes into one batch
//	erase.go                      a member of whom nothing stays
//	brandrows.go onetime.go       rows by brand, when a tail is sealed; one-time pairs
//	snapshot.go reader.go         one commit, for readers; liverows.go: all rows, for a start
//	replacement.go                a shard rebuilt beside the store: ../replacement
//	catalog.go                    the catalog's store
//	sync.go stats.go dump.go      when a commit is durable; for operators
//	../audit       all that is stored, compared with a replay and with itself
//	../contents    what actions have beside their columns, and search in it
//	../timeline    members' own rows: repeats, deletes; the tail
//	../records     what has a key of its own
//	../format      keys and values: what is on disk, byte by byte
//	../pebblefs    opening Pebble; what happens when the disk fails
//
// A Shard belongs to one goroutine. A Store, and a Snapshot, may be used by any.
// A store of another format is refused when it is opened.
package store
