// Package members has the member actors of a shard: children that run on the shard's
// goroutine, so that a message posted is applied when the call returns. What a member decides
// is in package actors/member.
//
// Loaded holds the actors of members that were touched lately, within a bound of bytes; it
// reads a member that is not loaded from the store. A Batch collects the activities of a micro-batch
// by member, so that a member applies its own as one message. A member that is not loaded is not loaded
// for plain activities.
package members
