package members

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
	"github.com/ovation-analytics/ovation/actors/shard/children"
)

// Store is what of the shard's store members are read from.
type Store interface {
	member.History
	// Member is what is stored of a member; nil: none.
	Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error)
	// Past is all that a member did, dead actions too, in order of (time, sequence); what is
	// staged is part of it.
	Past(account domain.AccountID, ord domain.Ordinal) ([]domain.Row, error)
	// Contents is what each of the rows says beside its columns, nil where nothing is stored; what is
	// staged is part of it.
	Contents(rows []domain.Row) ([]*domain.Content, error)
	// OneTimes calls f with the one-time pairs of a member, as of the last commit.
	OneTimes(account domain.AccountID, ord domain.Ordinal, f func(*domain.OneTime)) error
}

// Batch is the activities of a micro-batch by member, in the order of each member's first.
type Batch struct {
	groups   []*Group // those used first
	used     int
	unloaded map[member.Place]*Group // groups of members that are not loaded
	plain    *member.State           // applies them
}

// NewBatch is an empty one.
func NewBatch() *Batch {
	return &Batch{unloaded: map[member.Place]*Group{}, plain: member.NewState(&domain.Member{})}
}

// Group is what a micro-batch has of one member. Groups are in memory one after the other,
// as they are used; nearly all have one activity, which is kept in them.
type Group struct {
	ID domain.MemberID

	actor *Member // nil: the member is not loaded, and its activities are plain
	at    member.Place
	muted uint32 // services of a member that is not loaded, a bit each
	acts  []Activity
	one   [1]Activity

	do      children.Do     // records what is in acts, as the actor
	changes []domain.Change // appended to
	history member.History
	err     error
}

// Activity is an activity with what the shard gives it, and what became of it.
type Activity struct {
	Record      *domain.Record
	Sequence    uint64
	Clock       int64 // the shard's
	Disposition member.Disposition
}

// Activities are those added.
func (g *Group) Activities() []Activity { return g.acts }

// Add adds an activity to the group of its member; false: the member is loaded, or has to be, see
// AddTo. An activity that is not one-time needs to know of its member what the audience knows, and
// the store has the rest. One-time pairs are remembered by a member that is loaded, until they are
// committed.
func (b *Batch) Add(loaded *Loaded, at member.Place, audience *member.Audience, a Activity) bool {
	if a.Record.Activity.OneTime || loaded.At(at) != nil {
		return false
	}
	g := b.unloaded[at]
	if g == nil {
		muted, active := audience.Active(at.Ord)
		if !active {
			return false
		}
		g = b.next()
		g.ID, g.muted, g.at = audience.ID(at.Ord), muted, at
		b.unloaded[at] = g
	}
	g.acts = append(g.acts, a)
	return true
}

// AddTo adds an activity to the group of a member that is loaded. One that was not when the
// micro-batch began keeps the group that it has.
func (b *Batch) AddTo(k *Member, at member.Place, a Activity) {
	if k.group == nil {
		k.group = b.unloaded[at]
		if k.group == nil {
			k.group = b.next()
			k.group.ID, k.group.at = k.State().Member.ID, at
		} else {
			delete(b.unloaded, at)
		}
		k.group.actor = k
	}
	k.group.acts = append(k.group.acts, a)
}

// groupsAtOnce is how many groups are made together.
const groupsAtOnce = 64

// next is the next group, empty.
func (b *Batch) next() *Group {
	if b.used == len(b.groups) {
		made := make([]Group, groupsAtOnce)
		for i := range made {
			g := &made[i]
			g.acts = g.one[:0]
			g.do.F = func() { g.record(g.actor.state) }
			b.groups = append(b.groups, g)
		}
	}
	b.used++
	return b.groups[b.used-1]
}

// Groups are those to be applied.
func (b *Batch) Groups() []*Group { return b.groups[:b.used] }

// Apply has the group's member apply its activities, and appends what they change.
func (b *Batch) Apply(loaded *Loaded, g *Group, changes []domain.Change) ([]domain.Change, error) {
	g.changes, g.history = changes, loaded.history
	if g.actor != nil {
		g.actor.child.Do(&g.do)
	} else {
		b.plain.Unloaded(g.ID, g.at.Account, g.at.Ord, g.muted)
		g.record(b.plain)
	}
	changes, g.changes = g.changes, nil
	return changes, g.err
}

// record has a member do what is in the group.
func (g *Group) record(s *member.State) {
	s.Begin(len(g.acts))
	for i := range g.acts {
		t := &g.acts[i]
		act := &t.Record.Activity
		g.changes, t.Disposition, g.err = s.Record(g.changes, act, t.Sequence, t.Clock, &act.Content, g.history, !t.Record.AskedBy().IsZero())
		if g.err != nil {
			return
		}
	}
}

// Clear empties the batch.
func (b *Batch) Clear() {
	for _, g := range b.Groups() {
		if g.actor != nil {
			g.actor.group = nil
		}
		g.actor, g.history, g.err = nil, nil, nil
		clear(g.acts)
		g.acts = g.acts[:0]
	}
	b.used = 0
	clear(b.unloaded)
}
