// Package ingest reads and appends the journal and the catalog, reads the public topic, and
// publishes dead letters. With the packages below it is the only room that speaks Kafka.
//
//	activities partition ─► Source: read, decode (package activity) ─► router ─► Appender ─► journal
//	                                                                                           │
//	activities.dlq ◄─ DeadLetters ◄───────────────── outbox of a shard ◄─ shard ◄─ Reader ◄────┘
//
//	activity         a record's bytes: where it goes, what it says
//	kafka            the client          kafka/topics  the topics of an installation
//	broker/log       the embedded log    broker/wire   the Kafka protocol in front of it
//	recordbatch      record batches, for client and log
//	walk             the shape of a request or an answer, before it is decoded
//
// # What is promised
//
//   - Every record of the public topic becomes exactly one record of the journal,
//     also one that is no activity: its refusal is that record. Nothing is left out,
//     so a shard may take the offsets it sees of a source partition as a growing
//     sequence and drop whatever is not above the highest it applied (I2).
//   - Equal records have equal journal bytes, and what is written is read back as it
//     was, by this release and every later one.
//
// # Failures, one by one
//
//   - The router dies after the append, before its offset is committed: the record is
//     appended again to the same partition, under the same origin; the shard drops
//     it (I2).
//   - The offset is forgotten (Kafka forgets idle groups): routing continues at the mark
//     that the journal itself has of it; what was routed after that is dropped. Where the
//     log begins above the mark by now, that is a gap (actors/router/progress.go).
//   - A release judges differently than the one before and both routed a record: the
//     first disposition counts, since the place is the same and the second is dropped.
//   - The journal refuses or does not answer: the batch is repeated until it is there,
//     in order, nothing after it is appended to that partition. Pressure reaches the
//     fetch, and the public topic holds what is not yet routed (I8).
//   - The public topic is not the one that was read (retention, cut, recreated): a
//     *domain.GapError. The partition waits until an operator accepts the gap; the others
//     continue.
//   - A batch of the public topic does not parse: it arrives as one record, refused as
//     corrupt, becomes a dead letter, and reading continues after it. Its origin is the
//     first offset that is lost, in the epoch that the leader's history has there: above
//     what was routed and below what follows, whatever the damaged header says.
//   - A record of the journal or the catalog begins with a magic and a version. A value
//     without the magic is of another program: it is given as a record of KindForeign,
//     which every replay skips, counted, and of the journal kept as a dead
//     letter whose original is read there. A record of a newer version or kind needs a newer
//     ovation (domain.ErrNewer): the shard stops until the binary is upgraded.
//   - A dead letter is published twice: both have the same dlq.id.
//   - A dead letter's original takes more than 1 MiB of a batch, has more than 8192 headers,
//     or is refused by the broker for good: the letter is published without it and says so.
//
// # Who may call
//
// A Reader and a SourceReader belong to one goroutine at a time, an Appender to one a
// partition. Log, Source, DeadLetters and the functions may be called by any. Strings of what
// is read share the page's memory until it is released. The room knows nothing of actors, api
// and storage: values of actors/domain go in and out.
//
// The broker in tests is kfake, and in some an Apache Kafka that they start.
package ingest
