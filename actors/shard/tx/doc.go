// Package tx is what applying records reads and changes: the State of a shard, and the Tx in which records
// change it.
//
//	State  what a shard knows between two records: its members, accounts, requests, parked activities and
//	       sources, and the domain.ShardState that every commit stores
//	Tx     what the records of a micro-batch do:
//	         Change, Apply, ApplyGroup               change what is stored
//	         Send, Forward, Dead                     put an entry into the outbox
//	         Complete, CompleteAsked, Replayed, Void answer a request
//	         Defer, Redirect                         leave the answer to a later record, or to another shard
//	         Keep                                    keeps the page of the record: its strings live on
//	         Flush                                   stages changes and entries
//
// Operations are functions of a Tx and a record. What they decide depends on the record and on the records before
// it, never on where a micro-batch or a commit ends (I6). A change that Flush staged is in the store's open
// batch, and in memory: an operation that reads it flushes first. Send is the only place where something
// is sent to a log. Entries get their sequence in the order of their records, which makes them the same in
// every replica.
//
// What follows from staged changes, such as what a merged member sends on, is given by a Follower, at
// construction. State and Tx belong to the goroutine of their shard.
package tx
