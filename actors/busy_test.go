package actors

import (
	"context"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/query"
	"github.com/ovation-analytics/ovation/actors/shard"
	"github.com/ovation-analytics/ovation/actors/view"
)

// busyAccount has contents of which a read ends when the test lets it.
const busyAccount = 99

type busyStore struct {
	shard.Store
	read chan chan struct{}
}

func (s busyStore) Snapshot() view.Snapshot { return busySnapshot{s.Store.Snapshot(), s.read} }

type busySnapshot struct {
	view.Snapshot
	read chan chan struct{}
}

func (s busySnapshot) Contents(rows []domain.Row) ([]*domain.Content, error) {
	if rows[0].Account != busyAccount {
		return s.Snapshot.Contents(rows)
	}
	free := make(chan struct{})
	s.read <- free
	<-free
	return make([]*domain.Content, len(rows)), nil
}

// spoilBusy opens the rig again on stores that occupy can read.
func (r *rig) spoilBusy() chan chan struct{} {
	read := make(chan chan struct{})
	r.close()
	r.spoil = func(_ int, s shard.Store) shard.Store { return busyStore{s, read} }
	r.open()
	return read
}

// occupy has a worker read until the channel that it returns is closed.
func (r *rig) occupy(read chan chan struct{}) chan struct{} {
	m := &query.Show{Account: busyAccount, Items: make([]domain.FeedItem, 1)}
	r.node.queried()[0].Show(context.Background(), m, func(*query.Shown) {})
	return <-read
}
