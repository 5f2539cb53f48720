package main

import (
	"fmt"
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// The naive model: identities and owners, the actions that were sent, and what must have
// become of them, by sets and maps.

// label is an account with what its application made.
type label struct {
	id          domain.AccountID
	app         domain.ApplicationID
	key         string
	brands      []domain.BrandID
	definitions []definition
	visits      map[domain.MemberID]int // registrations, attachments and logins that were answered
	limits      domain.Limits           // as an operator set them last
	plan        domain.Plan
	doubtful    []domain.Limits // set with an outcome that was not known
	operating   bool
}

// definition is a definition of an activity.
type definition struct {
	id      domain.DefinitionID
	oneTime bool
}

// identity is the name of a member on a service.
type identity struct {
	of      *label
	service string
	uid     string
	owner   domain.MemberID   // 0: not known, or no member
	at      string            // the position at which a member is its owner; empty: not known
	there   bool              // its service record came into being, as was answered
	once    bool              // it is registered by one request alone, since it was free
	unsure  bool              // it may have an owner: an attachment to a member who was merged into another
	again   bool              // it is registered again, since its owner was erased
	fresh   int               // how often its owner's token is refreshed
	asked   []domain.MemberID // members that it was to be attached to: what comes in between counts for them
	past    []domain.MemberID // owners before, who are erased; 0: one whom no answer named
}

// act is an action as it was sent. An act with the same label, source and id is a repeat
// of the same action of a member; with another number it conflicts.
type act struct {
	of         *label
	source     string
	id         string
	number     int
	who        *identity
	member     domain.MemberID // instead of who
	definition definition
	brand      domain.BrandID
	at         int64
	reason     domain.Reason // what it is refused for, whichever member did it
	sure       bool          // its owner was known when it was made up
	sent       []sending     // each time that it was published
	answers    []answer      // recorded over HTTP: for whom, as was answered
	unsure     bool          // recorded over HTTP, or not: its member was merged into another
	value      string        // what was published; empty: recorded over HTTP
	rival      *act          // with its name and another content, published after it
}

// link is what the action carries to be known by.
func (a *act) link() string {
	return fmt.Sprintf("https://sim.test/%s/%s/%d", a.source, a.id, a.number)
}

// owner is the member whose action it is, who may be erased where the action names one; 0: no
// member's.
func (a *act) owner() domain.MemberID {
	if a.member != 0 {
		return a.member
	}
	return a.who.owner
}

// model is what clients sent and which answers they got, shared by all of them.
type model struct {
	mu         sync.Mutex
	labels     []*label
	identities []*identity
	acts       []*act
	byLink     map[string]*act
	byValue    map[string]*act
	shown      []shownAct        // actions that were answered with their ids
	deleted    map[ofMember]bool // whose deletion was answered
	tried      map[ofMember]int  // how many deletions of it were begun
	opted      map[opted]bool    // answered
	made       map[string]int    // brands, by name: how many must be there
	hands      int               // names given to what was made
	updates    updates
	erased     map[domain.MemberID]*erasure
	erasures   int // how many were answered
	merges     merges
}

// ofMember is an action of a member, whatever its content.
type ofMember struct {
	member     domain.MemberID
	source, id string
}

// opted is a member on a brand's list.
type opted struct {
	brand  domain.BrandID
	member domain.MemberID
}

// shownAct is an action with its id.
type shownAct struct {
	act    *act
	member domain.MemberID
	id     domain.ActionID
}

func newModel() *model {
	return &model{
		byLink: map[string]*act{}, byValue: map[string]*act{}, deleted: map[ofMember]bool{}, tried: map[ofMember]int{}, opted: map[opted]bool{},
		made: map[string]int{}, updates: newUpdates(), erased: map[domain.MemberID]*erasure{}, merges: newMerges(),
	}
}

// say notes an action that is about to be sent.
func (m *model) say(a *act) {
	m.acts = append(m.acts, a)
	m.byLink[a.link()] = a
	if a.value != "" {
		m.byValue[a.value] = a
	}
}

// since is a position at which a member is there; empty: none is known.
func (m *model) since(id domain.MemberID) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.identities {
		if i.owner == id && i.at != "" {
			return i.at
		}
	}
	return ""
}

// owned notes that an identity was registered or attached, and found to be a member's: the first word
// is the last, until that member is erased.
func (m *model) owned(i *identity, member domain.MemberID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch e := m.erased[member]; {
	case e != nil && (e.answered > 0 || i.owner != 0 && i.owner != member): // an answer that comes late
		i.had(member)
		return nil
	case i.owner != 0 && i.owner != member && m.erased[i.owner] == nil:
		return fmt.Errorf("%s %s is member %d's, and now %d's", i.service, i.uid, i.owner, member)
	case i.owner != 0 && i.owner != member:
		m.free(i)
	}
	i.owner, i.there = member, true
	i.of.visits[member]++
	return nil
}
