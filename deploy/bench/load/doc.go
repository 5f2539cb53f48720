// Package load puts a steady load on a node and measures when activities are durable and
// visible, how long questions take beside it, and what CPU, memory and disk it takes.
//
// It is an open loop: each activity, probe and question has a time when it is due, and its
// latency counts from then. Durable is until the log has acknowledged an activity. Visible is
// until a question that needs it counts it: a probe is an activity of one member of each shard,
// in the same stream and batches; once durable, its shard alone is asked for it every
// millisecond. CPU is the node's, with all that it answers; the part of answers is by profile.
// At the end the rows of the node must be what was published, each activity once.
//
//	Prepare  adds the brand and the definition of the probes to a population, before it is entered
//	Run      the load, on a node that the population has entered and warmed up
package load
