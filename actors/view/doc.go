// Package view has what readers see of a shard: an immutable View of one commit, which any
// goroutine may read (I7), and the Versions by which an answer made of it is known to be
// unchanged.
//
// The shard has a Writer and publishes through a Holder; a reader acquires the newest view,
// reads, and releases it, or waits for one that has what it needs. The last release closes the view's snapshot of the store. A view's
// accounts are one persistent array: a commit copies the pages of the accounts that it
// touched and nothing else. Beside its snapshot a view has the records and contents that readers of
// the shard have read lately, as of its commit (recordcache.go).
package view
