package members

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/member"
)

// Store is what of the shard's store members are read from.
type Store interface {
	// Member is what is stored of a member; nil: none.
	Member(account domain.AccountID, ord domain.Ordinal) (*domain.Member, error)
	// Seen finds the member's row with that hash in the first of the months that has one;
	// dead ones and staged ones too.
	Seen(account domain.AccountID, ord domain.Ordinal, months domain.RepeatMonths, hash uint64) (domain.Row, bool, error)
	// OneTime is the action that counts for a pair, as committed.
	OneTime(account domain.AccountID, ord domain.Ordinal, definition domain.DefinitionID, brand domain.BrandID) (domain.OneTime, bool, error)
}

// Batch is the activities of a micro-batch by member, in the order of each member's first.
type Batch struct {
	groups   []*Group // those used first
	used     int
	unloaded map[member.Place]*Group // groups of members that are not loaded
	plain    receiver                // applies them
}

// NewBatch is an empty one.
func NewBatch() *Batch {
	return &Batch{unloaded: map[member.Place]*Group{}, plain: receiver{member.NewState(&domain.Member{})}}
}

// Group is what a micro-batch has of one member. Groups are in memory one after the other,
// as they are used; nearly all have one activity, which is kept in them.
type Group struct {
	ID domain.MemberID

	actor   *Actor // nil: the member is not loaded, and its activities are plain
	muted   uint32 // services of a member that is not loaded, a bit each
	history pairHistory
	msg     activities
	one     [1]Activity
}

// Activity is an activity with what the shard gives it, and what became of it.
type Activity struct {
	Record      *domain.Record
	Sequence    uint64
	Clock       int64 // the shard's
	Disposition member.Disposition
}

// activities are the message of a group.
type activities struct {
	effect
	acts    []Activity
	history member.History
	err     error
}

// Add adds an activity of the member.
func (g *Group) Add(a Activity) { g.msg.acts = append(g.msg.acts, a) }

// Activities are those added.
func (g *Group) Activities() []Activity { return g.msg.acts }

// Unloaded is the group of a member that is not loaded; nil: it has none yet.
func (b *Batch) Unloaded(at member.Place) *Group { return b.unloaded[at] }

// AddUnloaded begins the group of a member that is not loaded, with the services that it does not
// share.
func (b *Batch) AddUnloaded(at member.Place, id domain.MemberID, muted uint32, store Store) *Group {
	g := b.next()
	g.ID, g.muted, g.history = id, muted, pairHistory{store, at}
	b.unloaded[at] = g
	return g
}

// Of is the group of a member that is loaded. One that was not loaded when the micro-batch began
// keeps the group it has.
func (b *Batch) Of(k *Actor, at member.Place, store Store) *Group {
	if k.group != nil {
		return k.group
	}
	if k.group = b.unloaded[at]; k.group != nil {
		delete(b.unloaded, at)
		k.group.actor = k
		return k.group
	}
	k.group = b.next()
	k.group.actor, k.group.ID, k.group.history = k, k.State().Member.ID, pairHistory{store, at}
	return k.group
}

// groupsAtOnce is how many groups are made together.
const groupsAtOnce = 64

// next is the next group, empty.
func (b *Batch) next() *Group {
	if b.used == len(b.groups) {
		made := make([]Group, groupsAtOnce)
		for i := range made {
			g := &made[i]
			g.msg.acts, g.msg.history = g.one[:0], &g.history
			b.groups = append(b.groups, g)
		}
	}
	b.used++
	return b.groups[b.used-1]
}

// Groups are those to be applied.
func (b *Batch) Groups() []*Group { return b.groups[:b.used] }

// Apply has the group's member apply its activities, and appends what they change.
func (b *Batch) Apply(g *Group, changes []domain.Change) ([]domain.Change, error) {
	g.msg.changes, g.msg.done = changes, false
	if g.actor != nil {
		g.actor.box.PostUserMessage(&g.msg)
	} else {
		b.plain.state.Sleeper(g.ID, g.history.at.Account, g.history.at.Ord, g.muted)
		b.plain.record(&g.msg)
	}
	if !g.msg.done {
		panic("a member actor failed")
	}
	changes, g.msg.changes = g.msg.changes, nil
	return changes, g.msg.err
}

// Clear empties the batch.
func (b *Batch) Clear() {
	for _, g := range b.Groups() {
		if g.actor != nil {
			g.actor.group = nil
		}
		g.actor, g.history = nil, pairHistory{}
		clear(g.msg.acts)
		g.msg.acts = g.msg.acts[:0]
	}
	b.used = 0
	clear(b.unloaded)
}

// pairHistory is the past of one member, as the store has it.
type pairHistory struct {
	store Store
	at    member.Place
}

// Seen is the member's row with that hash.
func (h *pairHistory) Seen(months domain.RepeatMonths, hash uint64) (domain.Row, bool, error) {
	return h.store.Seen(h.at.Account, h.at.Ord, months, hash)
}

// OneTime is the action that counts for a pair.
func (h *pairHistory) OneTime(definition domain.DefinitionID, brand domain.BrandID) (domain.OneTime, bool, error) {
	return h.store.OneTime(h.at.Account, h.at.Ord, definition, brand)
}
