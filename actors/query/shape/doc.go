// Package shape makes one answer of what the shards answer: one merge a shape. It is
// pure.
//
//	tally.go     counts by group
//	timeline.go  counts by service and day, zeros included
//	leaders.go   members by rank
//	crossover.go brands by members
//	feed.go      actions, newest first
//	domains.go   visits by domain
//	standings.go brands of a few members, by score
//	summaries.go what each of a few members did
//	memberlist.go members by id
//	lists.go     members of segments' lists
//	rankhistogram.go  how many rows have a rank in each bucket
//
// Shards have disjoint members, so counts of distinct members add. Merging is
// associative and does not depend on the order of the parts (I12); a part is never
// changed by it.
//
// Any goroutine may call anything here.
package shape
