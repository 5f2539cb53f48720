package shard

import "github.com/asynkron/protoactor-go/actor"

// Reopen has a shard close its part of the store and open it again.
type Reopen struct{ Done chan struct{} } // closed when it has

// reopen starts the shard from what the store has now. Nothing reads its part of the store
// meanwhile: the store may put another one in its place.
func (s *shard) reopen(ctx actor.Context, m *Reopen) {
	defer close(m.Done)
	s.env.floor = max(s.env.floor, s.env.Handle.Applied.Load())
	s.become(Recovering, s.recovering)
	s.quiesce(ctx)
	s.close()
	s.env.Handle.View.Wait()
	s.broken, s.env.singly, s.env.poisoned, s.env.lacks = false, 0, nil, 0
	s.start(ctx)
}

// behindItself reports that the shard was further already, before it was reopened: it shows
// nothing until it is there again.
func (s *shard) behindItself() bool { return s.state.Next < s.env.floor }
