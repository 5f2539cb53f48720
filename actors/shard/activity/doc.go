// Package activity applies the activities of a shard's members.
//
//	Judge    is it refused, whose is it: a member's of this shard, or of another one, to which it is forwarded
//	Add      into its member's group; of a pending member it is parked, or refused
//	Flush    each member applies its group in one call; dispositions are counted, answered or dead-lettered
//	Unpark   what a member did while its registration was pending, once that has ended
//
// A member that is not loaded is not loaded for plain activities (members.Batch). A repeat of a request gets no
// sequence, wherever a micro-batch ends (I6): Repeated flushes before it looks up a request of the open micro-batch. An
// activity that is refused and came from a log, or that no request waits for, becomes a dead letter; one without an
// original is counted.
//
// Whether a member has part in a merge is not known here: package core asks between Judge and Add. Activities
// belongs to the goroutine of its shard.
package activity
