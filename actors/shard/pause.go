package shard

import (
	"context"
	"errors"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/internal/retry"
	"github.com/ovation-analytics/ovation/actors/shard/accounts"
)

// A record may name a brand that the catalog at hand does not have: a node that has read more of the catalog wrote
// it. The shard applies what stands before the record and pauses until the catalog has the brand: the view stays, the
// lag is its age, and what comes waits in the journal. A catalog that was read to its end after the record, and does
// not have the brand, has lost it: the shard stops.

// pause is the shard's wait for a brand. It is owned by the shard.
type pause struct {
	brand  domain.BrandID     // 0: the shard does not wait
	cancel context.CancelFunc // ends what reads the catalog
}

func (p *pause) on() bool { return p.brand != 0 }

// catalogRead says that the catalog was read to its end since the shard paused for a brand, or why it could not be.
type catalogRead struct {
	brand    domain.BrandID
	err      error
	failures int // in a row
}

var errCatalogBehind = errors.New("a record is of a brand that this node has not read of the catalog yet")

// pauseFor commits what was applied, and pauses until the catalog has the brand.
func (s *shard) pauseFor(ctx actor.Context, brand domain.BrandID) {
	if s.commits.records > 0 && !s.commit(ctx) {
		return
	}
	s.intake.queue.returnCredits()
	reading, cancel := context.WithCancel(s.env.Lifetime.Ctx)
	s.pause = pause{brand, cancel}
	read, tell := s.env.ReadCatalog, s.tell
	go func() {
		for failures := 1; ; failures++ {
			err := read(reading)
			if reading.Err() != nil {
				return
			}
			tell(&catalogRead{brand, err, failures})
			if err == nil || !retry.Backoff(reading, failures) {
				return
			}
		}
	}()
}

// resume ends the pause.
func (s *shard) resume() {
	if s.pause.on() {
		s.pause.cancel()
		s.pause = pause{}
		s.env.Handle.Behind.Recovered(s.env.Log, "shard", s.env.ID)
	}
}

// catalogMoved goes on with a newer catalog, if that has the brand.
func (s *shard) catalogMoved(ctx actor.Context) {
	if s.pause.on() && s.env.Catalog.View().LastBrand() >= s.pause.brand {
		s.resume()
		s.applyNext(ctx)
	}
}

// catalogRead goes on with the catalog as of its end. While that cannot be read, routers do not wait for the shard.
func (s *shard) catalogRead(ctx actor.Context, m *catalogRead) {
	if m.brand != s.pause.brand {
		return
	}
	if m.err != nil {
		s.env.Handle.Behind.Failed(s.env.Log, m.failures, errCatalogBehind, "shard", s.env.ID, "brand", m.brand)
		s.env.Handle.leave()
		return
	}
	if s.catalogMoved(ctx); s.pause.brand == m.brand {
		s.halt(ctx, &accounts.UnknownBrandError{Brand: m.brand})
	}
}
