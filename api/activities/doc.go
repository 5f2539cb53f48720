// Package activities answers the operations on activity definitions, and records actions:
// one, or many in a body. An action is complete before it is submitted: its definition's
// service, points and brand, its member's id, its time and dedup key are put in here. What the
// catalog refuses, and a member that the account does not have, is an error at once, but under an
// Idempotency-Key a refusal by the shard. A handler runs on the goroutine of its request and keeps
// no state.
package activities
