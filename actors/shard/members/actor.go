package members

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Actor is a loaded member: its actor, and what the shard keeps beside it. It is 64 bytes, a
// cache line: of a record's cost most is waiting for its member's lines.
type Actor struct {
	group   *Group // of the micro-batch being applied; nil: none yet
	state   *member.State
	child   children.Child
	touched bool
	bytes   int32 // as held has it
}

// actorBytes is what an actor takes beside its state: its context, its process, its names.
const actorBytes = 660

// State is the member's.
func (k *Actor) State() *member.State { return k.state }

// Place is where the shard keeps the member.
func (k *Actor) Place() member.Place {
	m := &k.state.Member
	return member.Place{Account: m.Account, Ord: m.Ord}
}

// Prefetch reads the member's cache lines. The result means nothing; it keeps the reads.
func (k *Actor) Prefetch() uint64 {
	return uint64(k.state.Member.State) + k.child.Prefetch()
}

// Work changes a member, and appends what it changes.
type Work func(s *member.State, dst []domain.Change) []domain.Change

// Do has the member do work, on this goroutine, and appends what it changes.
func (k *Actor) Do(w Work, changes []domain.Change) []domain.Change {
	k.child.Do(&children.Do{F: func() { changes = w(k.state, changes) }})
	return changes
}
