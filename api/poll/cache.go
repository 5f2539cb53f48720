package poll

import (
	"cmp"
	"sync"
	"sync/atomic"
)

// The bounds of the response cache; that of bytes where the program gives no other.
const (
	maxEntries   = 1 << 16
	defaultBytes = 32 << 20
)

// Cache is the response cache: a least-recently-used map from a question as asked to what
// its answer was made of. It is bounded exactly, in entries and in bytes, and entries do not
// expire: a look-up asks the engine whether one is unchanged. That is a map and a ring, a
// page of code; a cache library has approximate bounds, and goroutines. The mutex is held
// for the look-up only, some 100 ns. Any goroutine may call.
type Cache struct {
	entries, limit int

	mu    sync.Mutex
	at    map[key]*entry
	ring  entry // its next was used last, its prev longest ago
	bytes int

	byMemory, byComparison, missed atomic.Uint64
}

// key names a question as asked: a hash.
type key [32]byte

// entry is a cached response in the ring.
type entry struct {
	key        key
	response   *cachedResponse
	bytes      int
	prev, next *entry
}

// NewCache makes a cache of so many bytes; 0: the default.
func NewCache(bytes int) *Cache { return newCache(maxEntries, cmp.Or(bytes, defaultBytes)) }

func newCache(entries, bytes int) *Cache {
	c := &Cache{entries: entries, limit: bytes, at: map[key]*entry{}}
	c.ring.prev, c.ring.next = &c.ring, &c.ring
	return c
}

// get is the cached response; nil: none. It never changes.
func (c *Cache) get(k key) *cachedResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[k]
	if e == nil {
		return nil
	}
	e.unlink()
	c.use(e)
	return e.response
}

// put caches a response. It replaces an earlier one to the question.
func (c *Cache) put(k key, response *cachedResponse) {
	bytes := response.bytes()
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.at[k]
	if e == nil {
		e = &entry{key: k}
		c.at[k] = e
	} else {
		e.unlink()
		c.bytes -= e.bytes
	}
	e.response, e.bytes = response, bytes
	c.bytes += bytes
	c.use(e)
	for c.bytes > c.limit || len(c.at) > c.entries {
		last := c.ring.prev
		last.unlink()
		delete(c.at, last.key)
		c.bytes -= last.bytes
	}
}

// use puts e, which is not in the ring, at the place of what was used last.
func (c *Cache) use(e *entry) {
	e.prev, e.next = &c.ring, c.ring.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

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
	return Stats{c.byMemory.Load(), c.byComparison.Load(), c.missed.Load(), len(c.at), c.bytes}
}
