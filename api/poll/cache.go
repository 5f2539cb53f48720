package poll

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/ovation-analytics/ovation/actors/domain/twogen"
)

// defaultBytes bounds the response cache where the program gives no other bound.
const defaultBytes = 32 << 20

// Cache is the response cache, from a question as asked to what its answer was made of. It is
// bounded in bytes, and entries do not expire: a look-up asks the engine whether one is unchanged.
// The mutex is held for the look-up only, some 100 ns. Any goroutine may call.
type Cache struct {
	limit int

	mu        sync.Mutex
	responses *twogen.Cache[key, *cachedResponse]

	byMemory, byComparison, missed atomic.Uint64
}

// key names a question as asked: a hash.
type key [32]byte

// NewCache makes a cache of so many bytes; 0: the default.
func NewCache(bytes int) *Cache {
	bytes = cmp.Or(bytes, defaultBytes)
	return &Cache{limit: bytes / 2, responses: twogen.NewWeighed[key](bytes/2, (*cachedResponse).bytes)}
}

// get is the cached response; nil: none. It never changes.
func (c *Cache) get(k key) *cachedResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	response, _ := c.responses.Get(k)
	return response
}

// put caches a response, unless it is too large. It replaces an earlier one to the question.
func (c *Cache) put(k key, response *cachedResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if response.bytes() > c.limit {
		c.responses.Drop(k)
		return
	}
	c.responses.Put(k, response)
}

// Stats is what became of the GETs that named a tag and got an answer, and what is cached.
type Stats struct {
	ByMemory     uint64 // 304 without a scan and without rendering
	ByComparison uint64 // 304 after the answer was made
	Missed       uint64 // 200: the body is another one
	Entries      int
	Bytes        int
}

// Stats is a snapshot of what was counted since the start.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Stats{c.byMemory.Load(), c.byComparison.Load(), c.missed.Load(), c.responses.Len(), c.responses.Weight()}
}
