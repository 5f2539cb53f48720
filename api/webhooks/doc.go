// Package webhooks answers the operations on webhooks: list, create, edit, delete, a test, what was delivered, and to
// deliver it once more.
//
//	create, edit, delete ─► catalog (PutWebhook, DeleteWebhook)
//	deliveries           ◄─ progress in the shards (port.Deliveries)
//	redeliver            ─► a record of progress in the shard of the event (sending.Again, sending.Rewind)
//	test                 ─► the receiver, by this node
//
// What sends the events is elsewhere: package sending has who sends, delivery what is sent when, signature and egress how.
//
// Only events that are sent can be chosen; the contract has others, which are refused by name with the reason. A
// secret is shown by the answers to create and to an edit that rotates it, and by no other; a repeat of such a request
// by its Idempotency-Key shows the secret that there is now.
//
// A Service may be called by any goroutine.
package webhooks
