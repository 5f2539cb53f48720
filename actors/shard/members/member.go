package members

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Member is a member that is loaded: its state, its actor, and what the shard keeps beside it. It is 64 bytes, a
// cache line: of a record's cost most is waiting for its member's lines.
type Member struct {
	group   *Group // of the micro-batch being applied; nil: none yet
	state   *member.State
	child   children.Child
	touched bool
	bytes   int32 // as held has it
}

// childBytes is what its actor takes beside its state: its context, its process, its names.
const childBytes = 660

// State is the member's.
func (m *Member) State() *member.State { return m.state }

// Place is where the shard keeps the member.
func (m *Member) Place() member.Place {
	of := &m.state.Member
	return member.Place{Account: of.Account, Ord: of.Ord}
}

// Prefetch reads the member's cache lines. The result means nothing; it keeps the reads.
func (m *Member) Prefetch() uint64 {
	return uint64(m.state.Member.State) + m.child.Prefetch()
}

// Work changes a member, and appends what it changes.
type Work func(s *member.State, dst []domain.Change) []domain.Change

// Do has the member do work, on this goroutine, and appends what it changes.
func (m *Member) Do(w Work, changes []domain.Change) []domain.Change {
	m.child.Do(&children.Do{F: func() { changes = w(m.state, changes) }})
	return changes
}
