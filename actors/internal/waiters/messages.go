package waiters

import "github.com/ovation-analytics/ovation/actors/domain"

// The messages of the conversation. They are values; a message is its receiver's once it is
// sent.

// Request is a request as a waiter has sent it: another body under its id is another
// request, which has an outcome of its own.
type Request struct {
	ID   domain.RequestID
	Body uint64
}

// AwaitOutcome is sent before the record is appended, so it is in the mailbox before the
// page that carries the record. Reply: *Completed, after the commit.
type AwaitOutcome struct {
	Request
	Known bool // it may have been applied already: the receiver looks it up
}

// Completed is a request's outcome with the nonce of the record that brought the request
// first: a waiter whose own record has another one has sent a repeat.
type Completed struct {
	domain.Outcome
	First domain.Nonce
	Void  bool  // the record came after its time and nothing was decided: submit it again
	Clock int64 // the log's, as of the record that completed it, in ms since 1970; 0: not known
}

// AwaitOffset is answered with *Applied once Next is applied and committed.
type AwaitOffset struct{ Next int64 }

// Applied is how far a log is applied, and how far the outbox of a shard came.
type Applied struct {
	Next int64
	Sent []SentTo
}

// SentTo is how far a shard's outbox came to another shard: what follows from what was
// applied is there once that shard's stream has reached it.
type SentTo struct {
	Shard    int
	Sequence uint64
}

// AwaitStream is answered with *Applied once the stream of the shard From has reached the
// sequence. Its Sent is of what the receiver may have sent on by then; nil: it sends nothing on.
type AwaitStream struct {
	From     int
	Sequence uint64
	Depth    int              // how many streams are followed with this one: 1 from a shard that the position names
	Account  domain.AccountID // whose members' merges are followed; 0: of all
}
