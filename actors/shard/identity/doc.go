// Package identity registers members and decides which member has an identity.
//
// Which member has an identity is judged by the shard of its slot alone: its Ledger has the
// claim. A registration whose identities are all in its shard is applied at once. For an
// identity of another shard a claim is asked through the outbox; the registration waits at its
// member until every claim is answered, and a refusal of one gives back the others. While a
// member is pending, what it does is parked.
//
// A member who is erased gives back every claim that it has; a claim that is still asked for is given back when
// its answer comes (erase.go). Its data keys are deleted by the outbox.
//
// Operations are methods of a Registrar that take a tx.Tx, by which they change and send. They keep copies of what a
// command says (clone.go): its strings are in the memory of a page that is used again. What a member did while it was
// pending, and its merges, are for package core to follow: Claim gives the place of a member whose registration ends.
// A Registrar belongs to the shard's goroutine.
package identity
