package personal

import (
	"sync"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/domain/twogen"
)

// openedCache has members that lists have shown lately, opened, by data key. An entry is of one
// record as the engine gave it, which it is known by: the engine gives the same one until the member
// changes (view.View.Cached). It is shown only while its key is there, and is dropped with it (I10).
// It is within a part of --memory.
//
// A list of 1,000 members takes 0.79 of the CPU with it (2026-11-25, 2 cores).
type openedCache struct {
	mu        sync.Mutex // guards what follows
	members   *twogen.Cache[domain.KeyID, openedMember]
	forgotten uint64 // how often keys were
}

// openedMember is a member as the engine gave it and as it was opened. Neither changes.
type openedMember struct{ sealed, opened *domain.Member }

// openedBytes is what a member takes in the cache beside the two.
const openedBytes = 128

func newOpenedCache(bytes int) *openedCache {
	weigh := func(x openedMember) int { return openedBytes + x.sealed.Bytes() + x.opened.Bytes() }
	return &openedCache{members: twogen.NewWeighed[domain.KeyID](bytes/2, weigh)}
}

// moment is what put wants to know of the time before the keys were read. A nil cache has nothing.
func (c *openedCache) moment() uint64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.forgotten
}

// get gives the members opened as far as they are there; the others are nil.
func (c *openedCache) get(sealed []*domain.Member) []*domain.Member {
	out := make([]*domain.Member, len(sealed))
	if c == nil {
		return out
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, m := range sealed {
		if x, _ := c.members.Get(m.Personal.Key); x.sealed == m {
			out[i] = x.opened
		}
	}
	return out
}

// put keeps members that were opened with keys read after the moment. Where a key was forgotten
// since, it may be one of theirs.
func (c *openedCache) put(moment uint64, members []openedMember) {
	if c == nil || len(members) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forgotten != moment {
		return
	}
	for _, x := range members {
		c.members.Put(x.sealed.Personal.Key, x)
	}
}

// forget drops what was opened with keys that were deleted.
func (c *openedCache) forget(ids []domain.KeyID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgotten++
	for _, id := range ids {
		c.members.Drop(id)
	}
}
