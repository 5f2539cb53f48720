// Package timeline keeps what a shard's members did, each member's own rows: it finds repeats,
// and the row that a delete means. New rows are in a tail until it is full.
//
//	Add ─► tail, in memory, with a hash chain by member and the rows' contents
//	commit ─► T shard commit        the commit's actions, in one key      ─┐ in the
//	when the tail is full, or has rows of who is erased, instead:          │ commit's
//	       t month shard account class bucket   Merge, the whole tail      │ batch
//	       s shard account month                what of t there is         │
//	       and a range deletion of T                                      ─┘
//
//	timeline.go  look-ups by hash, sequence and time
//	filters.go   a filter a month: most rows that are asked about are new
//	tail.go      rows that are not sealed; view.go: as a snapshot sees them
//	buckets.go   sealed rows
//	erase.go     all that a member did, and how it is erased
//
// Promised: Seen is exact, whatever is staged, sealed or filtered. A tail that a snapshot looks
// into does not change, and its memory is used again when the last one is released.
//
// A Timeline is its shard's goroutine's. A View may be read by any.
package timeline
