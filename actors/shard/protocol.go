package shard

import (
	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/shard/outbox"
	"github.com/ovation-analytics/ovation/actors/shard/tx"
)

// The messages, by conversation. All are values of this process: they never cross
// nodes. A message is its receiver's once it is sent.

// Shard, catalog → itself: go on with the pages that wait.
type applyNext struct{}

// Anyone → shard: see internal/waiters for what is awaited.
type (
	// WhichApplied is answered with *LastApplied: the highest origin of the stream, zero
	// where nothing of it was applied.
	WhichApplied struct{ Stream tx.Stream }
	LastApplied  struct{ Origin domain.Origin }
)

// Outbox publisher → shard.
type (
	// published says how far the outbox is in its logs.
	published struct {
		kind outbox.Kind
		upTo uint64
	}
	// ackPublished comes a second after the first published: time to note it.
	ackPublished struct{}
)

// CatalogMoved goes from the catalog to the shards after a new view was published.
type CatalogMoved struct{}
