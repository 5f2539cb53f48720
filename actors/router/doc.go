// Package router brings the public topic into the journal: one actor a partition, one
// supervisor that finds the partitions.
//
// A router stamps each record with what the catalog says, or a refusal, and appends it at the
// place that its bytes name. It decides nothing else. Pages come from a fetcher of its own,
// two at most, so that the fetch waits for the journal (I8); the batcher gathers what all
// routers append. How far a partition is routed is kept twice, in the group's offset and as
// marks in the journal (progress.go): what is read again is dropped by its origin (I2).
//
// Of several nodes one routes each partition: that of rank 0, by the list of the catalog and the beats (package
// nodes). The others look each second at what the group has of the partition, which names who routes it, and know by
// that how far it is routed. Where there is something to route and the group has the same for 3 s times the rank, the
// next node takes it over, beginning at the larger of group offset and mark, and leaves it when a node of a lower rank
// routes again (duty.go). A node that was paused goes on where others have come meanwhile. A node alone has rank 0.
//
// A gap of the topic, a page that cannot be routed, or a panic stops that partition, visibly,
// and no other. Handles are what others read of routers, on any goroutine.
package router
