// Package pebblefs opens Pebble and holds the one policy for a disk that fails. The store and
// the embedded log share it.
//
//	db.go          Open, Err, Failed, Close: a store at work, or stopped
//	commit.go      Commit, and Apply with Wait: batches that share an fsync
//	disk.go        the file system under Pebble
//	corruption.go  files that cannot be read; table.go: large blocks of them
//	readable.go    what is behind them
//	markers.go     a directory that was copied in part
//	headroom.go    how much of the disk is free
//
// # Policy
//
//   - An error of writing stops the store for good, and not the process. What was acknowledged
//     is durable, nothing is acknowledged after, and every caller gets the first error. The
//     process has to end before the store can be opened again.
//   - A corrupt block is an error for the reader of that block alone; the store works on.
//     Pebble skips a table for five minutes when a compaction could not read it, but retries one
//     of its newest level at once and for ever: these retries are paced, and stop the store
//     when writes stall behind them.
//   - A full disk is an error of writing. Owners ask Space before they write, and refuse below
//     a floor; CanOpen says whether there is room to open.
//
// Flushes and compactions run at low priority: on busy processors a flush of 64 MiB doubles the
// latency of a request for as long as it runs. They cannot starve: if they fall behind, writes
// stall and leave the processors to them.
//
// Any goroutine may call any function or method.
package pebblefs
