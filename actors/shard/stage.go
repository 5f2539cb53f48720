package shard

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// stage puts the changes made so far into the store's open batch, and follows them
// in memory: what is published at the commit.
func (s *shard) stage(ctx actor.Context) error {
	s.sequence()
	changes := s.batch.changes
	if len(changes) == 0 {
		return nil
	}
	if err := s.store.Stage(changes); err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		if err := s.accounts.Follow(ctx, c); err != nil {
			return err
		}
		switch c.Kind {
		case domain.RowAdded:
			s.state.Rows++
		case domain.RowTaken:
			s.state.Rows--
		}
	}
	s.accounts.Flush(ctx)
	clear(changes)
	s.batch.changes = changes[:0]
	return nil
}
