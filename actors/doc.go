// Package actors is the engine: it applies the journal and answers questions. Node wires its
// parts, starts and stops them; what happens is in the packages.
//
//	public topic ─► router ─► journal partition p ─► shard p ─► one batch: state + offset + outbox
//	                  ▲                                │ ▲            │
//	               catalog ◄── commands ── API         │ └─ member ── brand (pure cores)
//	                                                   ▼ commit
//	             API ──► query.Coordinator ──► query.Shard ◄── published view
//
//	domain   values and vocabulary       journal  the log as the engine sees it
//	catalog  brands, keys, definitions   router   public topic to journal
//	shard    one partition's state       view     what readers see of a shard
//	member   pure core of a member       brand    pure core of a brand: columns and scans
//	query    ask, merge, revalidate      query/shape  the merges, pure
//	replay   a journal applied once more, beside its shard
//	keys     data keys for those that seal and open; the engine opens nothing
//	nodes    the nodes of an installation, and which of them has a duty
//
// A Node has: shards (the shards of this process, by id), catalogReader (the catalog), routing
// (routers and batcher), submitter (commands and their outcomes), barrier (positions to wait
// for), gaps and setAsides (what an operator accepts), health (status, readiness, lag), membership (the node
// among the nodes of its installation), rules (when a partition goes on to newer ones), usage and retention.
//
// Everything that happens is one record of the journal, and all state is a deterministic
// function of it: shard p is the state machine over partition p. From this follow
// exactly-once effect (state and offset change in one batch, I3), and that a replay gives the
// same state hash.
//
// # Goroutines
//
//	actor        one per           owns                                    born / ends
//	node         process           which shards run here                   Start / Stop
//	shard        shard             its keys in the store, offset,          Start / Stop
//	                               children, outbox, published view
//	member       member needed     profile, services, one-time pairs       first command or one-time
//	             lately                                                     activity / least used
//	brand        brand with        the columns of package brand            first row / with the shard
//	             columns; one for
//	             all other brands
//	catalog      node              brands, definitions, segments, apps     Open / Stop
//	supervisor   node              which source partitions have a router   Start / Stop
//	router       source partition  stamps, hands to the batcher            found / Stop
//
// and goroutines that are no actors: a fetcher for each partition that is read (one page in
// flight a credit), an appender for each partition that commands go to, the batcher of all
// routers, three publishers for each outbox, the workers that scan (package query), and the
// clocks of usage, of ticks, of views' ages and of duties.
//
// Members and brands are children with a mailbox that processes at once: they run on their
// shard's goroutine and run one function a micro-batch (package shard/children). An activity that
// is not one-time loads no member: whether its member is active and shares is kept beside the
// roster, and the store has the rest. A question is no actor: its caller asks every shard through
// query.Shard, a worker scans the shard's view, and the caller merges.
//
// # What holds
//
// Questions never wait for ingestion: at the commit the shard publishes an immutable view by
// one pointer swap (I7). While a question is open, shards yield to it after every few records
// (internal/yield). Credits are the only back-pressure and reach the Kafka fetch (I8).
//
// What a commit changes gets its version, by brand, attribute, record and name (package view),
// so that a poll learns that its answer is unchanged without a scan (query/revalidate.go).
//
// A record on which applying panics: the shard starts again from its last commit and applies
// one by one; when one record alone panics, it is set aside through the catalog and becomes a
// dead letter, here and in every replay, and the failure is the outcome of its request. What
// is set aside is named by topic, offset and epoch: in a journal made again, or cut and grown
// again, it means no record. A panic anywhere else, in a router, a shard, the catalog or what
// reads for them, stops that one visibly until the process starts again. A store error is
// never a panic: it stops the shard, whether the shard met it or a question did.
//
// A member that is merged into another stays where it is and goes on to be applied; its rows are
// copied to the other's shard and count there (package shard/merge, domain/merge.go). An answer is
// made of views that agree on which shard counts them (query/gather.go). What takes the merge
// back leaves nothing of it (I11).
//
// A gap in a log stops its reader until an operator accepts it (journal/gap.go): shard,
// router, a start, a rebuild and a shadow alike. A shard applies what was read before the gap
// first. A gap of the catalog is accepted in the catalog, after the gap (catalog/gap.go). A
// value of another program is no gap: each replay skips it, and one of the journal becomes a
// dead letter. A record of a newer version stops its reader.
//
// What recovers by itself stops no other: a broker that is away, a disk that is nearly full, a catalog that is
// behind what another node has written to the journal.
// It is retried; status says what is waited for (internal/retry), the view stays, and the lag
// is its age. A shard whose outbox this node has to publish and cannot, or that lacks a part of the catalog that
// cannot be read, applies nothing more, and routers append on without waiting for it, as for one that is stopped.
//
// Stop ends within the time given (stop.go): questions that wait for a worker are refused, a
// shard that loads its state gives up.
//
// A shadow (package replay) applies a shard's journal beside it, by the shard's own code and
// sending nothing, so that what is stored can be compared with what should be. The state hash
// is kept at every 65,536th offset (shard/core/statemark.go).
//
// # Invariants
//
// Comments and tests name them by their number.
//
//	I1  the order of a member's records is the journal's
//	I2  an activity counts at most once, by its dedup key and by its origin
//	I3  state, aggregates, offset and outbox change in one batch
//	I4  what is acknowledged is in the log; what is answered as visible is applied
//	I5  a replica's state has one owner
//	I6  what is applied depends on the record and the state alone: no clock, no chance, no map order
//	I7  a reader sees whole commits
//	I8  every queue is bounded, and pressure reaches the fetch
//	I9  any order and repetition of activities that carry their time gives the same numbers
//	I10 what was erased does not come back
//	I11 a merge of members and its reversal cancel out
//	I12 the numbers of one question agree on every endpoint
//
// # Words
//
//	record          an entry of a log
//	activity        what a collector published
//	action          an accepted activity in a member's timeline
//	row             an action's place in columns
//	kind            of a record: what it is; of columns: a definition and its service
//	slot            one of 4,096 parts of all members, by the identity that a member first came with
//	ordinal         a member's number within its shard and account: its bit in bitmaps
//	dense number    a brand's number within its shard and account
//	origin          where a record comes from: topic, partition, epoch, offset
//	credit          a page that a fetcher may still read: the back-pressure of its reader
//	state mark      a state hash, kept with its offset
//	router's mark   how far a source partition was routed, in the journal
//	tail            the rows that were committed last; sealing writes them by brand
//	data key        seals what is personal of a member; wrapped under its slot key, that under a master key
//	definition      what can be done: an activity as the catalog defines it
//	disposition     what becomes of an activity; outcome: what becomes of a request
//	micro-batch     the records that a shard applies between two looks at its mailbox
//	barrier         the position at which everything accepted before is applied (AcceptedPosition)
//	accepted gap    what an operator gave up of a log, by place and epoch
//	life            how often a journal partition was given up before a record
//	set aside       a record that cannot be applied, made a dead letter by the catalog
//	lender          a member that is merged into another one, the borrower
//	shadow          the copies of a lender's rows in the borrower's shard: an ordinal of their own; the shadow of
//	                a shard (package replay) is another thing: its journal, applied once more beside it
//	handover        the commit from which on a lender's rows count at its borrower
//	covered         a one-time action that counts nowhere, since a merged member has an earlier one
//	parked          an activity that waits for its member's registration in another shard
//	view            a shard as of one commit; version: the number of a commit in this life
//	read set        what an answer was made of
//	cold            on disk only: a brand without columns in memory
//	page            what one read of a log gives; a result page is a page of a list
//	place           of a member: its account and ordinal; of a record: topic, partition, epoch, offset; of a
//	                visit: its domain and page
//	room            one of the folders api, actors, ingest, storage: none imports another; what holds that is a wall
//	layout          what an installation was made with: shards, topics, a check of its secrets
package actors
