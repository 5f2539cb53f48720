// Package waiters keeps what waits for the outcome of a request, or until an offset of a
// log is applied. A shard and the catalog have one each, on the goroutine of their mailbox;
// answers are sent once the commit that they rest on is durable.
package waiters
