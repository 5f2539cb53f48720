// Package kafka is the engine's Kafka client: it reads and appends partitions by
// number, keeps topics and group offsets, and distinguishes a log that is not the
// one it read before from one that only cannot answer now.
//
//	            Client: Fetcher, Producer, admin, groups
//	      ┌───────────────────┴───────────────────┐
//	fetching Transport                       the rest's Transport     conns: connections, TLS, SASL,
//	      │                                       │                   metadata by kafka-go
//	   Fetcher ── exchange: one kmsg request ── Producer, admin, groups
//	      │                                       │
//	   decode ◄──────────── recordbatch ──────► batch ◄ codec         record batches, format 2
//	      │                                       │
//	    Page                                  base offset
//
// Package topics, above, makes the topics of an installation and checks their settings.
//
// kafka-go opens the connections and knows the leaders. Requests and answers are
// made here, because its Reader shows aborted transactions as data, passes over
// lost records in silence and hangs on compacted logs, and its Writer stores a
// batch twice when an acknowledgement is lost.
//
// # Promised
//
//   - A Fetcher gives every committed record of its partition once, in order of
//     offset, as Kafka's consumers do under read_committed: records of aborted
//     transactions and control batches are never shown, holes left by compaction are
//     passed over.
//   - A log that lost what it should hold is a *domain.GapError: retention, truncated,
//     diverged, recreated. A batch that cannot be read is a *domain.CorruptError, given
//     when a second fetch says the same; records before it are given first.
//   - Base offset and leader epoch of a batch are not under its checksum. A base is
//     believed where the log around it agrees, an epoch that changes where the leader
//     confirms it. What is lost begins at the offset asked for, in the epoch that the
//     leader's history has there: the same for every reader, and above what was read.
//   - A page's memory belongs to the caller: no later call changes it. It is a few
//     large buffers; a record kept for long keeps its page.
//   - Shared fetchers (sharedfetch.go) share requests while their pages are small. What
//     fails there is asked for again alone.
//   - A Producer stores each batch once, however often it must be sent, until it
//     says ErrIdempotenceLost.
//   - What an answer or a batch claims about its own size is believed only within
//     bounds: a batch grows to 64 MiB at most, a page stops at 32 MiB unpacked or
//     262,144 records, whichever comes first.
//
// # Not promised
//
//   - Nothing is read ahead or retried behind Fetch: an error that may pass returns
//     at once (Retriable), so that the caller can count it, and Backoff says how long to
//     wait. A broker's restart is seconds of refused connections.
//   - Producers of different partitions know nothing of each other, and a producer's
//     session ends with the process: a caller that starts again repeats, and
//     its receiver must know repeats.
//   - Group offsets are kept without being a member of the group. They move nothing.
//   - A Producer names its topic by name. A reader notices that it is
//     another one.
//
// # Who may call
//
// A Client: any goroutine. A Fetcher, a Producer, a Backoff: one at a time.
//
// # Tests
//
// They run against franz-go's kfake in memory, and some against Apache Kafka, which
// deploy/kafka starts; OVATION_TEST_KAFKA=HOST:PORT names another broker, where their topics
// stay behind.
//
// # The broker
//
// Kafka 3.1 or newer, or anything that speaks the versions in requests.go; Client.Check
// says what is missing.
package kafka
