// Package actors is the engine: it applies the journal and answers questions.
//
//	journal partition p ──fetcher──► shard actor p ──► member actors ─┐
//	                                    (recovering →   brand actors ─┤
//	                                     catching up →                ▼
//	                                     serving)               one batch:
//	                                        │             state + offset + outbox
//	                                        ▼ commit
//	                                 published view ◄── query.Shard ◄── query.Coordinator ◄── API
//
// Everything that happens is one record of the journal, and all state is a
// deterministic function of it: shard p is the state machine over partition p. From
// this follow exactly-once effect (state and offset change in one batch, I3), and
// that a replay gives the same state hash.
//
// # Who runs
//
//	who          one per           owns                                    born / ends
//	node         process           which shards run here                   Start / Stop
//	shard        shard             its keys in the store, offset,          placement / stop
//	                               children, outbox, published view
//	member       member needed     profile, services, one-time pairs       first command or one-time
//	             lately                                                     activity / least used
//	brand        brand with        the columns of package brand            first row / with the shard
//	             columns, the rest
//	catalog      node              brands, definitions, segments, apps      start / stop
//	routers      node              which source partitions have a router   start / stop
//	router       source partition  stamp, hand to batcher                  found / stop
//
// and goroutines that are no actors: a fetcher for each partition that is read (one
// page in flight a credit), an appender for each partition that commands go to, the
// batcher of all routers, two publishers for each outbox, the workers
// (package query) that scan, and the clocks of usage, of ticks and of views' ages.
//
// An activity that is not one-time wakes no member: whether its member is active and
// shares stands beside the roster, and the store has the rest (shard/groups.go).
//
// member and brand are children with a mailbox that processes at once: they run on
// their shard's goroutine, so a micro-batch is applied when the last post has returned. They get
// one message a micro-batch, not one a record. Their thinking is in the pure packages
// member and brand. A question is no actor: its caller asks every shard through query.Shard,
// a worker scans the shard's view, and the caller merges.
//
// # What holds
//
// A micro-batch is at most 256 records. What they will look at is read for all of them
// first, side by side (shard/prefetch.go), then they are applied. It is committed when the
// shard is idle, when somebody waits for an outcome, after 10 ms (50 ms under load) or
// 20,000 records.
// A page far down a list takes rounds (query/deeppage.go).
// Questions never wait for ingestion: at the commit the shard publishes an
// immutable view by one pointer swap (I7). While one is asked, shards yield
// to it after every few records (internal/yield). The credit is the only back-pressure
// and reaches the Kafka fetch (I8).
//
// What a commit changes is stamped with its number, by brand, attribute, record and name
// (view/versions.go): so a poll learns that its answer is unchanged without a scan (view/unchanged.go).
//
// A record on which applying panics: the shard forgets its memory, starts again
// from its last commit and applies one by one; when one record alone panics, the
// catalog gets the word to set it aside, and it becomes a dead letter, here and in
// every replay, and the failure is the outcome of its request. The word names topic, offset
// and epoch: in a journal made anew, or cut and grown again, it means no record. A panic
// anywhere else, in a router, a shard, the catalog or what reads for them, stops that one
// visibly until the process starts again, and a query that panics is answered with an
// internal error (internal/crash): nothing is passed over, and a page is taken from the fetcher of
// this start only. A store error is never a panic: it stops the shard, visibly, whether the
// shard met it or a question did (view/guarded.go). A gap in the log stops it too, until
// the operator accepts it; so does a catalog that is behind, until it is not.
//
// A value of another program in the journal or the catalog is no gap: each replay passes
// over it (shard/foreign.go), and one of the journal is a dead letter. A record of a newer version
// stops its reader, and no word helps.
//
// A reader looks the operator's word up where it meets the gap (journal/gap.go): shard, router, a
// start, a rebuild and a shadow alike. A shard applies what was read before the gap first,
// and a gap is reported where the reader is. What a shard sends is numbered within its life,
// which is a function of the words and the offset, never of how often this replica stopped.
//
// The word on a gap of the catalog stands in the catalog, behind the gap: the catalog looks
// ahead for it and applies nothing meanwhile (catalog/gap.go), in every replay alike. A
// catalog that is another topic, or was cut below what was applied, takes no word: ids of
// what was lost would be given again. A node that meets any of this at its start is open for
// the operator, and starts once the catalog is read on.
//
// What passes stops nobody: a broker that is away, a disk that is nearly full. It is
// tried again until it goes; status says what is waited for (internal/retry), the view stays,
// and the lag tells how old it is. A shard that cannot publish its outbox applies nothing
// more, and routers append on without waiting for it, as for one that is stopped.
//
// Stop ends within the time given, whatever waits (stop.go): questions that wait for a
// worker are refused, a shard that loads its state gives up.
//
// How far the public topic was routed stands in the journal too, as marks, since Kafka
// forgets group offsets (router/progress.go).
//
// A shadow (shadow.go) replays a shard's journal beside it, by the shard's own code and
// sending nothing, so that what is stored can be compared with what should be. A mark of
// the state hash is kept at every 65,536th offset (shard/statemark.go).
package actors
