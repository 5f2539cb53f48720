// Package records reads what a shard has under keys of its own, one by one or all of a kind:
// members, identities, one-time pairs, requests, parked activities, attributes, outbox, notices, memberships. The
// store, its snapshots and audits read by it, each through its own reader.
package records
