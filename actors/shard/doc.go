// Package shard is the actor of one partition of the journal: it reads the partition, has its
// machine apply the records, commits and publishes.
//
//	page ─► intake ─► machine.Apply ─► machine.Commit ─► publish
//	                  (micro-batches)   (store)           (view, outbox, waiters)
//
// The state machine is package core, and below it are activity (whose an activity is, and what becomes of
// it), identity (registrations, claims), merge (members that are merged into others) and tx (the state of the
// shard, and the transaction in which records change it); below these members (loaded members, activities
// by member), accounts (what is in memory to answer questions from) and outbox (what is sent to other
// shards and to dead letters). Members and brands are actors, children of the shard (package children); what applies
// records imports no actor library, starts no goroutine and reads no clock. A commit is due
// when the shard is idle, when a waiter needs it, after 10 ms (50 ms under load) or 20,000
// records; then the view is published (I7) and the waiters are answered (commit.go).
//
// Before a record of a brand that its node has not read of the catalog yet it pauses, with its view (pause.go).
//
// Every node runs every shard, and one of them publishes its outbox (duty.go): the node of rank 0 for the shard (package
// nodes), and only while it serves. A node of rank i takes over a kind of entries that was undone for i times a delay:
//
//	forwards        1 s: the shard that they go to, on this node, has applied the end that its journal had after
//	                the delay, and not the forward; where that shard does not serve, 3 s, by Published
//	dead letters,   5 s: the shard has applied the end that its journal had after the delay, and no Published
//	data keys       record that says so
//
// While entries of a kind become done, one after the other, none is overdue. Who has taken over goes on without a delay
// until it reads a Published record of a node of a lower rank that is at work and not behind; a node that reads one of a
// node of a higher rank appends its own. A node whose rank becomes 0, where another one has published, appends its claim
// at once, as such a record. The other one ends when it applies the claim; this one begins when it has applied the claim
// and what the other one has sent by then: so a node that joins, or leaves as it is told to, has nothing repeated. After
// a pause, or a cut from the log, a node publishes nothing before it has applied the end that its journal had then:
// others have published meanwhile. Two nodes that both publish for a moment cost bytes: receivers drop what they have.
// What is applied does not depend on any of it (I6).
//
// A shard recovers (its store, then the journal's backlog), catches up, serves, or has
// stopped and says why: it stops at a gap that is not accepted, at a store that fails, at a
// record that cannot be applied, and no other shard with it (halt.go). A record on
// which applying panics twice, the second time alone, is set aside through the catalog
// (restarts.go), where no other node is listed. Where one is, which may have passed a gap or a record that stops this
// shard, the shard is opened again at its last commit: it applies nothing, and answers.
//
// The shard's goroutine is the one that handles its current message: one at a time, not always the same. Only
// it touches the fields of the actor. A Handle is what others read, on any goroutine; they send the messages of
// protocol.go, of internal/waiters and of journal, and Renew, Warm, EvictColumns and Reopen.
package shard
