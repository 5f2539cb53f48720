package api

import (
	"maps"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// beginSession begins a session as the catalog does.
func (s *fakeEngine) beginSession(c *domain.BeginSession) domain.Outcome {
	begun := &domain.Session{ID: c.ID, Key: c.Key, Begun: c.At, Renewed: c.At}
	if c.Key != 0 {
		for _, k := range s.keys {
			if k.ID == c.Key {
				begun.Role, begun.Account, begun.Application = domain.RoleDeveloper, k.Account, k.Application
			}
		}
	} else {
		link, ok := s.links[c.Link]
		if !ok || link.Taken != 0 {
			return domain.Failed(domain.Bad(domain.NotFound, "token", "the link is unknown, used or expired: ask for another one"))
		}
		used := *link
		used.Taken = c.At
		s.links = maps.Clone(s.links)
		s.links[c.Link] = &used
		begun.Role, begun.Account, begun.Application, begun.Name = link.Role, link.Account, link.Application, link.Name
	}
	return s.keepSession(begun)
}

// changeSession changes a session that was not ended.
func (s *fakeEngine) changeSession(id domain.SessionID, change func(*domain.Session)) domain.Outcome {
	old, ok := s.open[id]
	if !ok {
		return domain.Failed(domain.Fail(domain.NotFound, "no such session"))
	}
	changed := *old
	change(&changed)
	return s.keepSession(&changed)
}

func (s *fakeEngine) keepSession(of *domain.Session) domain.Outcome {
	s.open = maps.Clone(s.open)
	if s.open == nil {
		s.open = map[domain.SessionID]*domain.Session{}
	}
	s.open[of.ID] = of
	s.next++
	return domain.Outcome{New: true}
}
