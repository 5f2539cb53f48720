// Package catalog has accounts, applications with their allowlists, keys, the public halves of
// keys that sign member tokens, brands, definitions, segments, webhooks, the layout of the installation,
// its wrapped slot keys, its nodes, the console's sign-in links and sessions, and what operators accepted: the state machine over the log
// catalog, one actor a node.
//
// A record becomes part of the ledger, which is a function of the records (I6); its entities
// and the offset are one batch of the Store; then the View of that commit is published. A
// View never changes, any goroutine may read it through the Handle. Ids are never given
// twice. Requests are remembered for a day, so that one that is repeated changes nothing.
//
// The actor owns its Store. What waits for an outcome or an offset sends the messages of
// internal/waiters. A record on which applying panics stops it before that record, visibly.
package catalog
