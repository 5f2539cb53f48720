package shard

import "github.com/ovation-analytics/ovation/actors/domain"

// foreign keeps a value of another program as a dead letter. It changes nothing else, the
// clock neither.
func (s *shard) foreign(r *domain.Record) {
	s.batch.at = moment{r.Offset, s.state.Clock}
	s.env.Handle.foreign.Skipped(s.env.Log, "journal", r)
	s.deadLetter(r, &r.Activity, domain.Foreign, "")
}
