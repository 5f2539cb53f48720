// Package router brings the public topic into the journal: one actor a partition, one
// supervisor that finds the partitions.
//
// A router stamps each record with what the catalog says, or a refusal, and appends it at the
// place that its bytes name. It decides nothing else. Pages come from a fetcher of its own,
// two at most, so that the fetch waits for the journal (I8); the batcher gathers what all
// routers append. How far a partition is routed is kept twice, in the group's offset and as
// marks in the journal (progress.go): what is read again is dropped by its origin (I2).
//
// A gap of the topic, a page that cannot be routed, or a panic stops that partition, visibly,
// and no other. Handles are what others read of routers, on any goroutine.
package router
