// Package outline says of rows that are on disk only when they were made, so that a question knows what it
// need not read.
//
//	Outline  of one set of rows: of each its time and sequence, or stretches of time with how many rows each has
//	Walk     over the times of many sets, from one end of a range, by as many rows as are wanted
//	Recorded over their sequences likewise: in order of recording
//
// An outline takes 8 bytes a row, and no more than 8 KiB: of more rows it knows stretches, which are half a
// percent of the time or so. Limit cuts it down further. What it counts is exact, but for stretches that
// the range cuts: what it says of these is for the reader to look into (Count's edges).
//
// The writer's methods are those of the shard's goroutine. An outline that is published, as a copy of the
// struct, does not change any more: any goroutine may read it.
package outline
