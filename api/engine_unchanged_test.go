package api

import "github.com/ovation-analytics/ovation/actors/domain"

// Versions and Unchanged are the script's word, in the place of a look at what was applied.
func (s *fakeEngine) Versions() domain.Versions { return domain.Versions{7} }

func (s *fakeEngine) Unchanged(account domain.AccountID, since domain.Versions, f *domain.ReadSet, moved []domain.Range) (domain.Position, bool) {
	s.mu.Lock()
	unchanged := s.unchanged
	s.mu.Unlock()
	if unchanged == nil {
		return domain.Position{}, false
	}
	return unchanged(account, since, f, moved)
}
