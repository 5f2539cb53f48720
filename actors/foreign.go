package actors

import "github.com/ovation-analytics/ovation/actors/domain"

// foreign keeps a value of another program as a dead letter. It changes nothing else, the
// clock neither.
func (s *shard) foreign(r *domain.Record) {
	s.slice.at = moment{r.Offset, s.state.Clock}
	s.env.shared.foreign.Skipped(s.env.log, "journal", r)
	s.deadLetter(r, &r.Activity, domain.Foreign, "")
}
