// Package shard is the state machine over one partition of the journal: an actor that owns
// its part of the store, its members, its brands, its outbox and its published view.
//
//	page ─► prefetch ─► micro-batch: apply each record ─► stage ─► commit ─► publish
//	         (store)     members, identity, effects        (store)  (store)   (view, outbox, waiters)
//
// The parts that apply records are packages: members (actors of awake members, activities by
// member), identity (registrations, claims), accounts (what is in memory to answer questions
// from), outbox (what is sent to other shards and to dead letters). What a record leaves beside
// its member, such as the outcome of its request, goes through effects.go.
//
// The machine (machine.go) is a function of the records and the catalog (I6); the actor around it
// reads, commits and publishes. A micro-batch (microbatch.go) is at most
// MicroBatch records: what they will look at is read for all of them side by side
// (prefetch.go), each is applied, its changes are staged. One batch of the store has the
// state, the offset and the outbox (I3). It is committed when the shard is idle, when a
// waiter needs it, after 10 ms (50 ms under load) or 20,000 records; then the view is
// published (I7) and the waiters are answered.
//
// A shard recovers (its store, then the journal's backlog), catches up, serves, or has
// stopped and says why: it stops at a gap that is not accepted, at a store that fails, at a
// record that cannot be applied, and no other shard with it (gap.go, halt.go). A record on
// which applying panics twice, the second time alone, is set aside through the catalog.
//
// All fields of the actor belong to its mailbox. A Handle is what others read of it, on any
// goroutine; they send it the messages of protocol.go, of internal/waiters and of journal.
package shard
