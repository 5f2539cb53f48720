package api

import "github.com/ovation-analytics/ovation/actors/domain"

// Mark and Stands are the script's word, in the place of a look at what was applied.
func (s *script) Mark() domain.Mark { return domain.Mark{7} }

func (s *script) Stands(account domain.AccountID, since domain.Mark, f *domain.Footprint, moved []domain.Range) (domain.Position, bool) {
	s.mu.Lock()
	stands := s.stands
	s.mu.Unlock()
	if stands == nil {
		return domain.Position{}, false
	}
	return stands(account, since, f, moved)
}
