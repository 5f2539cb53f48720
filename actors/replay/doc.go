// Package replay applies a shard's journal once more, beside the shard and by the shard's own
// code, into a store of its own: what is stored can be compared with what should be, and a shard
// can be rebuilt.
//
//	journal ─► ceiling (how far, how fast) ─► shard.Props ─► a store of the replay
//
// A Shadow sends nothing: no forward, no dead letter, no command, no record of the catalog. It
// passes the gaps that the operator accepted, and keeps a state hash at the same offsets as the
// shard (shard/core/statemark.go). Journals says how far a replay can go and whether it makes the
// shard that is there; any goroutine may call it. A Shadow has one caller at a time.
package replay
