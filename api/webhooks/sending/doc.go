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
// of rank i takes over once there was something to do and no node kept any progress for i times five seconds; it then goes
// on until another one is at work, or another one has come before it since: then it begins no try any more, waits for
// those on their way, keeps what became of them and ends. While a try is due, a node that sends says so every two seconds,
// whatever its receiver does. Time in which the process was paused does not count.
//
// Two nodes may send at once for a moment: the receiver then gets events twice, by the same ids. What they keep is not
// mixed: a record of progress is based on the one before it, one of the two is told that its record does not count, and
// ends. It begins again, where it has the duty, with what there is.
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
