// Package mailbox has the mailbox of actors that run on the goroutine of their shard.
package mailbox
