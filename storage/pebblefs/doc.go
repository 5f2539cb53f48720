// Package pebblefs is what the store and the embedded log share of Pebble: the check for a
// directory copied in part, the record of corrupt files, and the priority of background work.
//
// # Corrupt files
//
// Damage holds the files in which a block cannot be read. Only a reader of that block gets an
// error; the rest of the store works on. Pebble skips a table for five minutes when a
// compaction could not read it, but retries one of its newest level at once and forever:
// Damage paces these retries. They end the store when writes stall on them.
//
// # Background work
//
// Yield lowers the priority of the goroutine's thread for flushes and compactions. On busy
// processors a flush of 64 MiB doubles the latency of a request for as long as it runs. It
// cannot starve: if flushes fall behind, writes stall and leave the processors to them.
//
// Any goroutine may call any function or method.
package pebblefs
