// Package keys gives the data keys of members to those that seal and open: it keeps new ones,
// finds and unwraps those that there are, and caches them opened.
//
//	            ┌─ Put ──► wrap ──► Source: durable ──► cache
//	API ─► Keeper                    │
//	            └─ Get ──► cache ──► unwrap ◄── Source
//
//	Source    Replica, which appends to the topic keys and follows it into a copy, storage/keys
//
// A key is durable before the record that names it is appended: what is sealed can be read as
// long as the key is there, and a key that no record names does no harm. The engine itself opens
// nothing: applying depends on sealed bytes alone (I6).
//
// A key is deleted by a tombstone in the log; every copy follows. What it
// sealed cannot be opened any more, wherever the bytes are: erasing a member rests on it. What was
// opened with it before, and is cached elsewhere, is forgotten with it (OnForget).
//
// A key in the cache costs 52 ns, 35 each where 1,000 are asked for at once, and no
// allocation; one that is not costs 6 µs (BenchmarkKeeper), and is read and unwrapped once,
// however many ask (single flight). A key that a replica does not have is looked for up
// to the topic's end before it is missing: another node may have made it a moment ago.
//
// A key comes back where a Put that was given up reaches the log after the tombstone: a copy remembers
// what was deleted for as long as the topic has tombstones, takes no such key, and its replica appends
// the tombstone again before it goes on.
//
// A copy without room takes no keys: Put refuses before the log has them, and following waits.
//
// A replica keeps how far it has read beside what it has read. At a start it reads the topic to
// its end; a copy that was last there more than 15 days ago begins again, since the topic keeps
// tombstones for 30. A topic that was made again, cut, or has a record that cannot be
// read stops the replica: keys that it has are given, and nothing is put, until an operator has
// mended the topic. A topic that was made again never empties a copy, which may be all there is.
//
// Any goroutine may call a Keeper and a Replica.
package keys
