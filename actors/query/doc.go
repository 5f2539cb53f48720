// Package query answers questions: a Coordinator asks every shard that has members of the
// question through the one door Shard, gathers the parts and merges them (package shape). All
// reads of a shard go through that door; its messages are values.
//
//	coordinator.go  plan, ask, merge
//	asking.go       one question: shards side by side, again until their views agree
//	survivors.go    members that named ones were merged into
//	handover.go     do views agree on what shards handed to each other
//	apart.go        shards whose views never agreed
//	gather.go       the parts of an answer
//	plan.go         what of a question is the same in every shard
//	local.go        a shard of this process: a view, a worker, an answer
//	execution.go    one question in one shard; what is on disk only
//	filter.go       the members that a question is about
//	visits.go       registrations and logins
//	lists.go        members of segments' lists
//	prune.go        the shards and the rows that a few named members need
//	limit.go        the rows that a question may read
//	deeppage.go     a page far down a list, in rounds
//	latest.go       the latest actions of leaders far down, in two rounds
//	hydrate.go      contents and members of a feed's page
//	resolve.go      members by id and by name
//	usage.go        hits of applications
//	revalidate.go   is an answer unchanged
//	executor.go     the workers that scan
//	durations.go    how long questions took
//
// A question reads one commit of each shard (I7) and never waits for ingestion, but for the
// position that it asks for, and for rows that are between two of its shards. It ends with its
// context, after ten seconds at the latest. A panic is an error of that question alone. Any
// goroutine may call a Coordinator.
package query
