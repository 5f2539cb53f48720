// Package activity reads the records of the public topic: what a collector published. It says
// where a record goes, and what it is or why it is refused. It does no I/O.
//
//	             frozen                judged by this release
//	          ┌───────────┐   ┌──────────────────────────────────────┐
//	record  ──┤  address  ├───┤  decode: activity, or reason + detail ├──► slot, journal record
//	          │ bytes→slot│   │                                       │
//	          └───────────┘   └──────────────────────────────────────┘
//
// # What is promised
//
//   - The place of a record hangs on its bytes alone, for the installation's life.
//   - Decode never fails, never panics and allocates in proportion to the record at
//     most, whatever the bytes are. A detail names a field and repeats nothing of it.
//
// Not promised: that two releases judge a record alike. The disposition in the journal
// counts: a replay does not judge again.
//
// # The obvious way, and why not
//
// The obvious router looks the member up: identity → member → the member's shard,
// with a cache in front. Then the action arrives where it is applied, and no shard
// has to forward anything. But the look-up's answer changes while the log does not.
// A router appends a record to the shard that has the member, dies before it commits
// its offset, and routes the record again after the member's identity was attached,
// merged or released: to another shard. Both count it. Or the other way round: the
// other shard has already seen a later offset of that source partition, takes the
// record for a repeat and drops it, and no shard counts it. A model of it, 40,000 random
// schedules, had 23 silent losses and 1,012 double counts. Deduplication by the
// event's id does not mend it, since that is kept by member and shard.
//
// So the router decides only where, by the bytes: the slot in a member's id, else the
// slot of the identity's hash. Which member that is, is decided by the shard of that slot, at
// the record's place in the journal; a member of another shard gets the action by
// the outbox, a stream with an origin of its own. The price is one more hop for
// members whose identity lives on another shard than they do: one record appended
// twice instead of a look-up. Most identities live where their member does, because
// a member's slot is that of the identity it first came with.
//
// # Trade-offs
//
//   - The pepper can never be changed: every identity's place hangs on it.
//   - A record whose first address field cannot be read is not tried by the second,
//     though it might be saved: the order is part of the frozen function and kept
//     simple enough to stay right.
//   - The JSON reader is our own. A library's leniency may change with its version
//     and would then move records; ours is compared with encoding/json by a fuzz
//     test, and is several times faster.
//   - Strings of what is decoded share the record's memory: a caller that keeps one copies it.
//
// # Who may call
//
// A Decoder belongs to one goroutine at a time. Hasher, Stats and the functions may be called
// by any.
//
// # Tests
//
// Testdata holds what is frozen: places of records. These files are never written again;
// -update makes only those that are not there. Everything that reads untrusted bytes has a
// fuzz target, the JSON reader one that compares it with encoding/json.
package activity
