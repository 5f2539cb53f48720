// Package publish sends records to the public topic of a node: as fast as it takes them
// (Publisher), or at a steady pace whether it takes them or not (Stream).
//
// A Stream sends as Apache Kafka's own producer does: one request for all partitions, once a
// partition has a full batch or its first record has lingered. Each Item carries the time
// when it was due, and its latency counts from then (Pace): what waits because something
// before it took long is not left out.
//
// A Publisher and its Streams belong to one goroutine; the counters of a Stream may be read by
// any.
package publish
