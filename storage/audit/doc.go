// Package audit compares all that is stored of a shard, family by family: with a replay of its
// journal, or with itself. It names what differs by key, and nothing of a value.
//
//	audit.go       Audit: a shard as of a commit; its state hash recomputed
//	walk.go        rows, contents and actions, section by section
//	compare.go     Compare: with a replay; keys.go: families compared key by key
//	states.go      states and origins; Stretch: where two replicas went apart
//	consistent.go  Consistent: with itself
//
// An Audit keeps what is compacted away on the disk until it is closed. It holds in memory one
// value, the tail, and of an account's month the actions that count no more.
package audit
