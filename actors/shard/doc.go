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
// A shard recovers (its store, then the journal's backlog), catches up, serves, or has
// stopped and says why: it stops at a gap that is not accepted, at a store that fails, at a
// record that cannot be applied, and no other shard with it (halt.go). A record on
// which applying panics twice, the second time alone, is set aside through the catalog
// (restarts.go).
//
// The shard's goroutine is the one that handles its current message: one at a time, not always the same. Only
// it touches the fields of the actor. A Handle is what others read, on any goroutine; they send the messages of
// protocol.go, of internal/waiters and of journal, and Renew, Warm, EvictColumns and Reopen.
package shard
