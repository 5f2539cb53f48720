// Package yield lets questions overtake what is applied. A question is handed on a dozen
// times, from the request to every shard's worker and back, and each time it waits for the
// goroutine that runs: that may be 10 ms, and while records stream in a shard takes so long
// for a micro-batch. While a question is open, a shard yields after every few records.
package yield
