// Package sending has the webhooks of an installation be delivered, each by one of its nodes.
//
//	catalog: webhooks ─┐                        ┌─► delivery.Sender ─► receiver
//	                   ├─► Runner: who sends? ──┤        │ states
//	ranks of nodes ────┘        ▲               └─► keeper ─► Log: Delivered records, by shard
//	                            └── progress of each webhook, as applied ◄──┘
//
// # Who sends
//
// The node of rank 0 for a webhook sends its events, once no other node was seen to send them for three seconds. The node
// of rank i takes over once there was something to do and no node kept any progress for i times five seconds. It then goes
// on until another node has come before it since: then it begins no try any more, waits for those on their way, keeps
// what became of them and ends. Time in which the process was paused does not count.
//
// A record of progress is a lease of five seconds from the moment at which it was begun: without one no try begins. While
// a try is due, a node that sends renews its lease, whatever its receiver does. A record is based on the one before it: of
// two nodes that send, one is told that its record does not count, and ends. So a node that was paused, or cut from the
// log, or that begins beside another one, sends nothing that the other has sent since, but the tries that it has begun. It
// begins again, where it has the duty, with what there is. Of two that begin in one moment both may send what is due then. A
// process that is alone needs no lease.
//
// # What is kept
//
// Moments are kept, and requests signed, by the time of day, on which the nodes agree; a Sender waits by its machine's
// clock, which may be another.
//
// A keeper writes what differs from the progress that it kept last, a record a shard, once a second at most. It has no
// more in memory than the states of the Sender.
//
// A Runner has one goroutine, and those of its Senders, all of which end before Run returns.
package sending
