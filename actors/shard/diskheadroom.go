package shard

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// roomEvery is how often it is looked whether the disk has room again.
const roomEvery = time.Second

// diskHasRoom reports that the disk has room for what would be applied next. Where it has not,
// what was applied is committed and the rest waits in the journal; the view stays, and
// questions are answered from it.
func (s *shard) diskHasRoom(ctx actor.Context) bool {
	err := s.machine.store.Room()
	if err == nil {
		if s.diskChecks > 0 {
			s.env.Handle.Space.Recovered(s.env.Log, "shard", s.env.ID)
		}
		s.diskChecks = 0
		return true
	}
	s.diskChecks++
	s.env.Handle.Space.Failed(s.env.Log, s.diskChecks, err, "shard", s.env.ID)
	if s.open.records > 0 {
		if err := s.commit(ctx); err != nil {
			s.failed(ctx, err)
			return false
		}
	}
	tell := s.tell
	time.AfterFunc(roomEvery, func() { tell(&goOn{}) })
	return false
}
