// Package core is the state machine of a journal partition: a function of the records applied
// and of the catalog (I6). Records are written by nodes that may have read more of the catalog than this one:
// a record is applied only once the catalog at hand has all that it names (brands.go).
//
//	records ─► prefetch ─► record: source progress, disposition, member, changes ─► stage ─► Commit
//
// A micro-batch (microbatch.go) is at most tx.MicroBatch records: what they will look at is read for
// all of them side by side (prefetch.go), each is applied (apply.go), its changes are staged in
// the store and in memory. Activities of one member are one message to it (package activity); commands
// are applied one by one, by the table of commands.go. What a record changes and sends is in the tx.Tx of the
// micro-batch. Commit stores the state, the offset and the outbox in one batch (I3).
//
// Packages activity, identity and merge do not call each other: an operation that concerns two, such as the erasure
// of a member with merges, is a sequence of calls in commands.go, or in apply.go for an activity. What follows at
// merged members from what a Flush staged is called by package tx (tx.Follower).
//
// The strings of a record share the memory of its page, which the next page uses again. What is kept of them is
// cloned by who keeps it, or the page is kept (tx.Tx, Keep).
//
// A Machine belongs to the goroutine of its shard, which reads the journal, decides when to
// commit, and publishes. It knows no mailbox and never calls its shard.
package core
