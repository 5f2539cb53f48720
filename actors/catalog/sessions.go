package catalog

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// console is the sign-in links and the sessions of the console, and what was done by it. The maps are copied when they are first written in an
// epoch, so that a view that was published does not change.
type console struct {
	epoch    uint64
	links    map[domain.LinkHash]*domain.Link
	sessions map[domain.SessionID]*domain.Session
	deeds    map[domain.AccountID][]*domain.Deed // in the order of the catalog
}

// own has the maps be those of an epoch.
func (c *console) own(epoch uint64) {
	if c.epoch == epoch && c.links != nil {
		return
	}
	c.epoch, c.links, c.sessions, c.deeds = epoch, maps.Clone(c.links), maps.Clone(c.sessions), maps.Clone(c.deeds)
	if c.links == nil {
		c.links = map[domain.LinkHash]*domain.Link{}
	}
	if c.sessions == nil {
		c.sessions = map[domain.SessionID]*domain.Session{}
	}
	if c.deeds == nil {
		c.deeds = map[domain.AccountID][]*domain.Deed{}
	}
}

func (c *console) putLink(l *domain.Link, epoch uint64) {
	c.own(epoch)
	c.links[l.Hash] = l
}

func (c *console) putSession(s *domain.Session, epoch uint64) {
	c.own(epoch)
	c.sessions[s.ID] = s
}

// Link is the sign-in link with that hash, a taken one too.
func (v *View) Link(hash domain.LinkHash) (*domain.Link, bool) {
	l, ok := v.console.links[hash]
	return l, ok
}

// Session is the session with that id, one that was ended too.
func (v *View) Session(id domain.SessionID) (*domain.Session, bool) {
	s, ok := v.console.sessions[id]
	return s, ok
}

// Sessions are all sessions by when they began, then by id, those that were ended too.
func (v *View) Sessions() []*domain.Session {
	return slices.SortedFunc(maps.Values(v.console.sessions), func(a, b *domain.Session) int {
		return cmp.Or(cmp.Compare(a.Begun, b.Begun), bytes.Compare(a.ID[:], b.ID[:]))
	})
}

// KeyByID is a key, a revoked one too.
func (v *View) KeyByID(id uint32) (*domain.Key, bool) {
	k := v.keys.Get(id)
	return k, k != nil
}

var noLink = domain.Bad(domain.NotFound, "token", "the link is unknown, used or expired: ask for another one")

func (l *ledger) createLink(c *domain.CreateLink) domain.Outcome {
	if _, ok := l.view.Link(c.Hash); ok {
		return domain.Failed(domain.Fail(domain.Conflict, "the link exists already"))
	}
	application, err := l.applicationOf(c)
	switch {
	case err != nil:
		return domain.Failed(err)
	case l.waitingLinks(c.Account, c.At) >= domain.MaxLinks:
		return domain.Failed(domain.Fail(domain.PlanLimit, "the account has 1000 links that wait to be taken, which is the most"))
	}
	l.keep(&domain.Link{
		Hash: c.Hash, Role: c.Role, Account: c.Account, Application: application, Name: c.Name, Created: c.At, Expires: c.Expires,
	})
	return domain.Outcome{ID: uint32(application), Second: uint32(c.Account), New: true}
}

// applicationOf is the application that a link is for. Only an operator needs none.
func (l *ledger) applicationOf(c *domain.CreateLink) (domain.ApplicationID, *domain.Error) {
	if c.Account == 0 && c.Application == 0 && c.Role == domain.RoleOperator {
		return 0, nil
	}
	if _, ok := l.view.Account(c.Account); !ok {
		return 0, domain.Bad(domain.NotFound, "account", "no such account")
	}
	if c.Application != 0 {
		if _, ok := application(l.view, c.Account, c.Application); !ok {
			return 0, noApplication
		}
		return c.Application, nil
	}
	var highest *domain.Application
	for _, a := range l.view.ApplicationsOf(c.Account) {
		if highest == nil || a.Plan > highest.Plan {
			highest = a
		}
	}
	if highest == nil {
		return 0, noApplication
	}
	return highest.ID, nil
}

// waitingLinks is how many links of an account may still be taken at a time.
func (l *ledger) waitingLinks(account domain.AccountID, at int64) (n int) {
	for _, link := range l.view.console.links {
		if link.Account == account && link.Taken == 0 && at < link.Expires {
			n++
		}
	}
	return n
}

func (l *ledger) beginSession(c *domain.BeginSession) domain.Outcome {
	if _, ok := l.view.Session(c.ID); ok {
		return domain.Failed(domain.Fail(domain.Conflict, "the session exists already"))
	}
	s := &domain.Session{ID: c.ID, Key: c.Key, Begun: c.At, Renewed: c.At}
	var taken *domain.Link
	if c.Key != 0 {
		k, ok := l.view.KeyByID(c.Key)
		if !ok || k.Revoked != 0 {
			return domain.Failed(domain.Bad(domain.InvalidKey, "key", "the key is unknown or revoked"))
		}
		s.Role, s.Account, s.Application = domain.RoleDeveloper, k.Account, k.Application
	} else {
		link, ok := l.view.Link(c.Link)
		if !ok || link.Taken != 0 || c.At >= link.Expires {
			return domain.Failed(noLink)
		}
		s.Role, s.Account, s.Application, s.Name = link.Role, link.Account, link.Application, link.Name
		used := *link
		used.Taken = max(c.At, 1) // 0 says that it may be taken
		taken = &used
	}
	if l.livingSessions(s.Account, c.At) >= domain.MaxSessions {
		return domain.Failed(domain.Fail(domain.PlanLimit, "the account has 1000 sessions, which is the most: end some first"))
	}
	if taken != nil {
		l.keep(taken)
	}
	l.keep(s)
	return domain.Outcome{ID: uint32(s.Application), Second: uint32(s.Account), New: true}
}

// livingSessions is how many sessions of an account are not over at a time.
func (l *ledger) livingSessions(account domain.AccountID, at int64) (n int) {
	for _, s := range l.view.console.sessions {
		if s.Account == account && !s.Over(at) {
			n++
		}
	}
	return n
}

var noSession = domain.Bad(domain.NotFound, "id", "no such session")

func (l *ledger) renewSession(c *domain.RenewSession) domain.Outcome {
	old, ok := l.view.Session(c.ID)
	if !ok || old.Over(c.At) {
		return domain.Failed(noSession)
	}
	s := *old
	s.Renewed = max(s.Renewed, c.At)
	l.keep(&s)
	return domain.Outcome{}
}

func (l *ledger) endSession(c *domain.EndSession) domain.Outcome {
	if !c.ID.IsZero() {
		old, ok := l.view.Session(c.ID)
		if !ok {
			return domain.Failed(noSession)
		}
		return domain.Outcome{ID: l.end(c.At, old)}
	}
	return domain.Outcome{ID: l.end(c.At, l.view.Sessions()...)}
}

// end ends those of the sessions that were not ended, and gives how many.
func (l *ledger) end(at int64, sessions ...*domain.Session) (n uint32) {
	for _, old := range sessions {
		if old.Ended != 0 {
			continue
		}
		s := *old
		s.Ended = max(at, 1) // 0 says that it was not ended
		l.keep(&s)
		n++
	}
	return n
}

// forgetSessions forgets, once a day, the links that can no longer be taken and the sessions that are over: who comes
// with one of them is told the same as before.
func (l *ledger) forgetSessions() {
	c := &l.view.console
	for hash, link := range c.links {
		if l.state.Clock >= link.Expires {
			c.own(l.epoch)
			delete(c.links, hash)
			l.changed = append(l.changed, domain.Forgotten{Entity: link})
		}
	}
	for id, s := range c.sessions {
		if s.Over(l.state.Clock) {
			c.own(l.epoch)
			delete(c.sessions, id)
			l.changed = append(l.changed, domain.Forgotten{Entity: s})
		}
	}
}
