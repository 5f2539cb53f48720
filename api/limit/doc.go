// Package limit decides how much of a node one account may use: requests a second, requests a
// month, and memory of requests under way.
//
//	Rates    a bucket of tokens for each account, and a count of the calendar month
//	Pool     what the requests of all accounts share: bytes, cores, or places in a queue
//	Memory   the pools of a node
//
// # Memory
//
// A request holds memory only of what it does at the moment. Each stage has a Pool, so that no
// stage takes what another one needs:
//
//	keyless   a body that is read before the key is known
//	incoming  a body of an account that is read, and what it is parsed to
//	waiting   a request that waits for a position (wait_for, refresh)
//	making    an answer that is made: given back before the answer is written
//	outgoing  an answer that is written, but for one that fits the buffer of its connection
//	streams   an answer that is made while it is written
//	parts     a part of such an answer, while it is made
//
// A Pool never grants more than its bytes. An account has at most its share of them; a request of an account that
// holds nothing may exceed the share, and counts as all bytes of the pool where it needs more than there are. What is free goes to the waiting
// account that holds least, and among equals to the one that has waited longest. Nothing
// overtakes the next one, so that large requests do not starve. An account that wants more than its
// share is over its rate (429); an account that waits for others is refused as unavailable.
//
// A client may be slow to send a body or to read an answer. While a pool is over half full, or a
// request waits for it, transfers that are slow (Bounds.Step) end, the slowest first. Without that pressure a transfer ends when nothing of it has moved for its patience.
//
// # Rates
//
// What an account may do is learned by a port (Accounts), with the request that first needs it.
// Nothing is locked while the port is asked.
//
// Any goroutine may call any of it but a Share and an Allowance, which belong to one request.
package limit
