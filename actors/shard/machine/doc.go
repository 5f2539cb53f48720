// Package machine is the state machine of a journal partition: a function of the records applied
// and of the catalog (I6).
//
//	records ─► prefetch ─► record: source progress, disposition, member, effects ─► stage ─► Commit
//
// A micro-batch (microbatch.go) is at most MicroBatch records: what they will look at is read for
// all of them side by side (prefetch.go), each is applied (apply.go), its changes are staged in
// the store and in memory. Activities of one member are one message to it; commands
// are applied one by one (commands.go). What a record leaves beside its member, such as the
// outcome of its request, is an effect (effects.go). Commit stores the state, the offset and the
// outbox in one batch (I3).
//
// A Machine belongs to the goroutine of its shard, which reads the journal, decides when to
// commit, and publishes. It knows no mailbox and never calls its shard.
package machine
