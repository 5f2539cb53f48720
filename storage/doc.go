// Package storage keeps what shards and the catalog know, in Pebble: one store per
// node for all its shards, and one for the catalog. The log (package ingest/broker/log)
// is a store of its own.
//
//	shard's goroutine                                    any goroutine
//	  Stage(changes) ─► open batch, tail, facts            Snapshot ─► rows, content,
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
//     same changes give the same answers, the same facts and the same rows, however
//     they were cut into commits and however Pebble groups merge operands.
//   - Seen is exact. Filters only save reads; none is stored.
//   - An error of writing is never passed over: the store fails as a whole and for
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
// Where to begin:
//
//	format/                           keys and values: what is on disk, byte by byte
//	format.go                         which format a store has
//	store.go shard.go catalog.go      opening, looking up
//	stage.go commit.go seal.go        changes into one batch; where rows go
//	contentblock.go                   what actions say, in blocks of bounded size
//	tailcontents.go                   what the tail's actions say, until they go there: lent
//	                                  to snapshots, with the tail (snapshottail.go)
//	timeline.go dedupindex.go filter.go the members' own rows, repeats
//	bysequence.go                     the row that an action's id means
//	pointers.go                       identities that many members have
//	parked.go                         activities of members that are pending
//	audit.go                          the state hash from stored bytes
//	marks.go                          where two replicas went apart
//	auditwalk.go compare.go           all that is stored, compared with a replay; keys and their
//	                                  values in comparekeys.go
//	consistent.go                     and with itself
//	warm.go snapshot.go scan.go       reading
//	contents.go search.go contentfilter.go what actions say, many at once; a word in it
//	sync.go                           when a commit is durable
//	origins.go                        how far each stream was applied
//	pebblefs/                         opening Pebble; what happens when the disk fails
//	dump.go stats.go                  for operators
//
// A Shard belongs to one goroutine. A Store, and a Snapshot, may be used by any.
//
// A store of another format is refused when it is opened.
package storage
