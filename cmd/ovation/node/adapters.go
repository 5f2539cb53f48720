package node

import (
	"github.com/ovation-analytics/ovation/actors"
	"github.com/ovation-analytics/ovation/actors/catalog"
	"github.com/ovation-analytics/ovation/actors/view"
	"github.com/ovation-analytics/ovation/api"
	"github.com/ovation-analytics/ovation/storage/format"
	"github.com/ovation-analytics/ovation/storage/store"
)

// The rooms do not know each other. Where one names a type that another cannot
// return, a thin adapter is here.

// Engine is the node as the API needs it.
type Engine struct{ *actors.Node }

// Catalog is the newest state of the catalog.
func (e Engine) Catalog() api.Catalog { return e.Node.Catalog() }

// shardStore is a shard's part of the store as the shard needs it.
type shardStore struct{ *store.Shard }

// Snapshot is the store as of the last commit.
func (s shardStore) Snapshot() view.Snapshot { return s.Shard.Snapshot() }

// catalogStore is the catalog's store as the catalog needs it.
type catalogStore struct{ *store.Catalog }

// State is what was stored with the last commit.
func (s catalogStore) State() catalog.State { return catalog.State(s.Catalog.State()) }

// Commit stores entities and state.
func (s catalogStore) Commit(state catalog.State, entities []any) error {
	return s.Catalog.Commit(format.CatalogState(state), entities)
}
