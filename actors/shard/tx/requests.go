package tx

import "github.com/ovation-analytics/ovation/actors/domain"

// Requests is what became of each request id of today and yesterday, as staged or stored.
type Requests struct {
	store  Lookups
	staged map[domain.RequestID]*domain.Request
}

func newRequests(store Lookups) Requests {
	return Requests{store: store, staged: map[domain.RequestID]*domain.Request{}}
}

// Find is a request; nil: it is not known. One that is staged is as old as one that is stored may be:
// how many days an open commit spans decides nothing (I6).
func (l *Requests) Find(today uint32, id domain.RequestID) (*domain.Request, error) {
	if q, ok := l.staged[id]; ok && q.Day+1 >= today {
		return q, nil
	}
	for _, day := range [2]uint32{today, today - 1} {
		if q, err := l.store.Request(day, id); q != nil || err != nil {
			return q, err
		}
	}
	return nil, nil
}

// isStaged reports that the request is of the open commit.
func (l *Requests) isStaged(id domain.RequestID) bool {
	_, ok := l.staged[id]
	return ok
}

// put stages a request.
func (l *Requests) put(q *domain.Request) domain.Change {
	l.staged[q.ID] = q
	return domain.Change{Kind: domain.RequestPut, Value: q}
}

// committed makes staged requests stored ones.
func (l *Requests) committed() { clear(l.staged) }
