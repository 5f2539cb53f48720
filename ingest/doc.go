// Package ingest turns what collectors publish into records of the journal, and is
// the only room that speaks Kafka. This page is also its design.
//
//	              frozen                judged by this release
//	           ┌───────────┐   ┌──────────────────────────────────────┐
//	 activities│  address  │   │  decode: activity, or reason + detail │
//	 partition ┤ bytes→slot├───┤                                       ├─► journal partition
//	           └───────────┘   └──────────────────────────────────────┘   of the slot's shard
//	                                                                            │ outbox
//	           activities.dlq ◄── dead letters ◄────────────────────────────────┘
//
//	ports.go              what the room takes: Incoming
//	cloudevents.go        the three ways in which a record holds an event; a structured one
//	                      without its content type is known by specversion, type and data
//	scan.go token.go      JSON, once through, without an allocation
//	fields.go             the names that mean something
//	address.go            where a record goes: FROZEN, held by a golden corpus
//	decode.go content.go  what becomes of it: the verdict of this release
//	time.go               RFC 3339
//	hash.go               identities, dedup keys, the pepper's check value
//	deadletter.go         the message that reports a record refused
//	log.go source.go      journal, catalog and public topic, over ingest/kafka
//	review.go             what is read in a message, for those who mend one
//	deadletters.go        the publisher of dead letters
//	pager.go              pages of bounded size
//	stats.go              what is counted
//
// # What is promised
//
//   - Every record of the public topic becomes exactly one record of the journal,
//     also one that is no activity: its refusal is that record. Nothing is left out,
//     so a shard may take the offsets it sees of a source partition as a growing
//     sequence and drop whatever is not above the highest it applied (I2).
//   - The place of a record hangs on its bytes alone, for the installation's life.
//   - Decode never fails, never panics and allocates in proportion to the record at
//     most, whatever the bytes are. A detail names a field and repeats nothing of it.
//   - Equal records have equal journal bytes, and what is written is read back as it
//     was, by this release and every later one.
//
// Not promised: that two releases judge a record alike. The verdict that is in the
// journal stands: a replay does not judge again.
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
// record for a repeat and drops it; nobody counts it. A model of it, 40,000 random
// schedules, had 23 silent losses and 1,012 double counts. Deduplication by the
// event's id does not mend it, since that is kept by member and shard.
//
// So the router decides only where, by the bytes: the slot in a member's id, else the
// slot of the identity's hash. Who that is, is decided by the shard of that slot, at
// the record's place in the journal; a member of another shard gets the action by
// the outbox, a stream with an origin of its own. The price is one more hop for
// members whose identity lives on another shard than they do: one record appended
// twice instead of a look-up. Most identities live where their member does, because
// a member's slot is that of the identity it first came with.
//
// # Failures, one by one
//
//   - The router dies after the append, before its offset is committed: the record is
//     appended again to the same partition, under the same origin; the shard drops
//     it (I2).
//   - The offset is forgotten (Kafka forgets idle groups): routing goes on at the mark
//     that the journal itself has of it; what was routed behind that is dropped. Where the
//     log begins above the mark by now, that is a gap (actors/router/progress.go).
//   - A release judges differently than the one before and both routed a record: the
//     first verdict stands, since the place is the same and the second is dropped.
//   - The journal refuses or does not answer: the batch is repeated until it is there,
//     in order, nothing after it is appended to that partition. Pressure reaches the
//     fetch, and the public topic holds what is not yet routed (I8).
//   - The public topic is not the one that was read (retention, cut, made anew): a
//     *domain.GapError. The partition waits for the operator's word; the others go
//     on.
//   - A batch of the public topic does not parse: it arrives as one record, refused as
//     corrupt, becomes a dead letter, and reading goes on behind it. Its origin is the
//     first offset that is lost, in the epoch that the leader's history has there: above
//     what was routed and below what follows, whatever the damaged header says.
//   - A record of the journal or the catalog begins with a magic and a version. A value
//     without the magic is of another program: it is given as a record of KindForeign,
//     which every replay skips, counted, and of the journal kept as a dead
//     letter whose original is read there. A record of a newer version or kind needs a newer
//     ovation (domain.ErrNewer): the shard stops, and goes on when the binary is upgraded.
//   - A dead letter is published twice: both have the same dlq.id.
//   - A dead letter's original takes more than 1 MiB of a batch, has more than 8192 headers,
//     or is refused by the broker for good: the letter is published without it and says so.
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
//   - Strings of what is decoded share the page's memory, so a page lives as long as
//     any of them. Whoever keeps one copies it.
//
// # Who may call
//
// A Decoder, a Reader and a SourceReader belong to one goroutine at a time, an Appender
// to one a partition. Hasher, Stats, Log, Source, DeadLetters and the functions may be
// called by any. The room knows nothing of actors, api and storage: values of
// actors/domain go in and out.
//
// # Tests
//
// Testdata holds what is frozen: places of records, bytes of the journal. These files
// are never written again; -update makes only those that are not there. Everything
// that reads untrusted bytes has a fuzz target, the JSON reader one that compares it
// with encoding/json. The broker in tests is kfake.
package ingest
