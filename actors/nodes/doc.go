// Package nodes is what a node knows of the nodes of its installation: which are listed, which
// are alive, and which of them has a duty.
//
//	catalog: NodeUp, NodeGone ─► listed ─┐
//	                                     ├─► Observer ─► Snapshot ─► Rank of a duty
//	group offsets: one Beat a second ────┘               (immutable, by one pointer)
//
// Where etcd has leases and Kafka has group sessions, an installation has its log alone. The
// list of nodes is in the catalog: a Membership appends its node to it once the node has caught up,
// and takes a node off that was silent for a week, or for a minute where too many are. Two or more listed nodes each commit an offset
// with a Beat as its metadata once a second, and read those of the others. A node that is listed
// alone does not beat and has every duty.
//
//	membership.go  a node's part in its installation: the list, beats, ranks
//	observer.go    who is alive           snapshot.go  who has a duty
//	beat.go        what a node says       twice.go     one id in two processes
//	clock.go       the time of day, by most nodes
//
// # Alive
//
// A node is alive while its beats change: no clock but the reader's own is compared. Silence is
// counted over the time in which the reader read: a reader that was paused, or cut from the
// broker, takes no node for dead when it comes back. A node that was listed a moment ago
// counts as alive until its first beat had time to come.
//
// # The time of day
//
// A beat shows the clock of its machine. A node whose own clock is more than a minute away from those of most nodes, its
// own among them, goes by theirs and says so; of two that differ each keeps its own. Between the reads that found a
// beat and the one before it lie some seconds, so the clock is right to about a second then. Until a node has heard two
// beats of the others, some two seconds after it began to beat, it goes by its machine.
//
// # Duties
//
// Every node applies every shard, so any node can do what follows from it: route a partition of
// the public topic, publish a shard's outbox, append its ticks, trim the log. Rank names who does
// it now: 0 is the node with the duty, i the one that takes it over when it was undone for i
// times a delay. The order is that of a hash of duty, partition and node among the nodes that
// are alive (rendezvous hashing): duties are spread over the nodes, a node that joins takes over
// only what it will do itself, and the id of a dead node costs nothing. Nodes that start or end say
// so in their beats and come last. So do nodes whose shards are some seconds behind their logs: a router waits for the
// shards of its own node, and would hold back records that the other nodes could apply at once.
//
// # Versions
//
// The list and the beats say which rules of applying a node's program knows. A listed node appends a partition's step
// to the next rules once all nodes that beat within a day know them: see AllKnow.
//
// # Not promised
//
// Two nodes may both see themselves at rank 0 for a while, and each duty must bear that: it is
// idempotent, and what is done twice costs bytes. What is applied must never depend on this
// package (I6).
//
// An Observer has one caller; a Snapshot never changes, and any goroutine may read it. A Membership
// may be called by any goroutine, its Run by one.
package nodes
