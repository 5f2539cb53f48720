package serve

import (
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain"
)

// journal is the journal of the installation: that of the first position that the engine gives. Any goroutine
// may call it.
type journal struct {
	id atomic.Pointer[domain.TopicID]
}

// learn takes the journal of a position, where none is known.
func (j *journal) learn(p domain.Position) {
	if !p.Journal.IsZero() && j.id.Load() == nil {
		id := p.Journal
		j.id.Store(&id)
	}
}

// at is the position of an offset of the catalog.
func (j *journal) at(catalog int64) domain.Position {
	p := domain.Position{Catalog: catalog}
	if id := j.id.Load(); id != nil {
		p.Journal = *id
	}
	return p
}

// isOther reports that a position is of another journal. Until one is known, the engine judges alone.
func (j *journal) isOther(p domain.Position) bool {
	id := j.id.Load()
	return id != nil && !p.Journal.IsZero() && p.Journal != *id
}
