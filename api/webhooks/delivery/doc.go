// Package delivery decides what is sent to the receiver of a webhook, when, and when no more.
//
//	stream ─► Queue.Take ─► held ─► Queue.Next ─► Message ─► one request ─► Queue.Done
//	                                    ▲                                      │
//	                                    └── back-off, up to 3 days ◄── failed ─┘
//
// A Queue is that of one webhook and one shard. The rows of the shard are the queue proper: what is kept is how far
// they were taken (through), and what of it is undone, at most MaxPending events. So a receiver that is away costs
// its shard nothing, and no event has an entry of its own before it is taken.
//
// # What holds
//
// Each event is delivered at least once, or given up after three days, and then it is listed. The events of a member are
// first tried in the order of the shard, and one is tried when those before it were delivered or given up: a member with an
// undone event is held, all others pass. Removals are held by the action that they are of. With MaxPending events
// undone nothing is taken until one is done.
//
// A Message is one event, or up to a webhook's batch of them. What is in it is fixed when it is made, and so is its
// id, which is a hash: every try, of every node, has the same. A batch may have several events of a member, in order.
//
// # Kept
//
// State is all that is to be kept. A Queue that is made of it again repeats what was done since, and tells it to
// the receiver by the same ids; a batch that was first tried since may be cut otherwise, and then it has another id
// and events with the ids they had.
//
// Redelivery: Again has one event sent once more, Rewind all after a place (again.go); ids stay the same.
//
// # Not promised
//
// Nothing is promised of the order between members, and between shards.
//
// A Queue is a value without clock, chance or goroutine: its owner calls it. A Sender owns the queues of one webhook
// (sender.go); its Run is the goroutine that calls them.
package delivery
