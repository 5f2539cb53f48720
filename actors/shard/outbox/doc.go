// Package outbox publishes what a shard sends: records to other shards, dead letters, and tombstones
// of data keys. The entries are part of the shard's state; the outbox brings them, in order and
// leaving none out, into their logs. A replay makes the same entries again (I6), and a receiver drops
// what it has by its origin (I2).
//
//	records applied ─► entries, stored with the commit ─► queue of a kind ─► its log
//	                     ▲                                  │ sent
//	                     └── trimmed by Published ◄─────────┘ a record of the journal
//
// Every node that runs the shard makes the same entries, and one of them publishes. Each Kind has a cursor, a
// queue and a goroutine of its own, so that a dead letter holds up no forward. Publish says whether this node
// publishes a kind:
//
//   - A node that does not (a standby) keeps no entry in memory, only how many wait and which is the last. It
//     never has the shard wait, however many there are.
//   - A node that begins to publish reads what waits from the store, PageEntries at a time, on the shard's goroutine.
//     Once it has read all of it, new entries go from the commit into the queue.
//
// How far a kind came is reported to the shard, which notes it in its journal (Published): that record trims the
// stored entries and takes them out of the queues, on every node alike and by their sequence. A publisher is at
// most Ahead entries ahead of such a record that is durable: a node that takes over repeats no more.
//
// The shard stages entries and hands them over at its commit, on its own goroutine; a Status
// is what others read, on any goroutine. No clock is read but between attempts.
package outbox
