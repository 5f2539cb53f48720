// Package members has the loaded members of a shard. Each is an actor, a child on the shard's goroutine
// (package children): what it is given to do is done when the call returns. What a member decides is in
// package actors/member.
//
// Loaded holds the actors of members that were touched lately; Evict, after a commit, brings them within a
// bound of bytes. It reads a member that is not loaded from the store. A Batch collects the activities of a micro-batch
// by member, so that a member applies its own in one call. A member that is not loaded is not loaded
// for plain activities.
package members
