package api

import (
	"sync"
	"sync/atomic"
)

// The bounds of what is remembered of answers and of what is under way, where the Config
// has no other.
const (
	rememberedMost  = 1 << 16
	rememberedBytes = 32 << 20
	inFlightBytes   = 256 << 20 // of requests under way
)

// memory is what is remembered of answers, by question as asked: the one used longest ago
// is forgotten first. It is bounded exactly, in entries and in bytes, and knows no time:
// what an entry is worth is told by asking the engine. That is a map and a ring, a page of
// code; a cache library would bring bounds that hold by and by, and goroutines. The mutex
// is held for the look-up only, some 100 ns. Any goroutine may call.
type memory struct {
	entries, limit int

	mu    sync.Mutex
	at    map[questionKey]*remembered
	ring  remembered // its next was used last, its prev longest ago
	bytes int

	byMemory, byComparison, missed atomic.Uint64
}

// questionKey names a question as asked: a hash.
type questionKey [32]byte

// remembered is an entry in the ring.
type remembered struct {
	key        questionKey
	what       *recollection
	bytes      int
	prev, next *remembered
}

func newMemory(entries, bytes int) *memory {
	m := &memory{entries: entries, limit: bytes, at: map[questionKey]*remembered{}}
	m.ring.prev, m.ring.next = &m.ring, &m.ring
	return m
}

// get is what is remembered; nil: nothing. It never changes.
func (m *memory) get(key questionKey) *recollection {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.at[key]
	if e == nil {
		return nil
	}
	e.unlink()
	m.use(e)
	return e.what
}

// put remembers what in the place of what was remembered of the question.
func (m *memory) put(key questionKey, what *recollection) {
	bytes := what.bytes()
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.at[key]
	if e == nil {
		e = &remembered{key: key}
		m.at[key] = e
	} else {
		e.unlink()
		m.bytes -= e.bytes
	}
	e.what, e.bytes = what, bytes
	m.bytes += bytes
	m.use(e)
	for m.bytes > m.limit || len(m.at) > m.entries {
		last := m.ring.prev
		last.unlink()
		delete(m.at, last.key)
		m.bytes -= last.bytes
	}
}

// use puts e, which is not in the ring, where what was used last stands.
func (m *memory) use(e *remembered) {
	e.prev, e.next = &m.ring, m.ring.next
	e.prev.next, e.next.prev = e, e
}

func (e *remembered) unlink() { e.prev.next, e.next.prev = e.next, e.prev }

// Polls is what became of the GETs that named a tag and got an answer, and what is
// remembered to answer such.
type Polls struct {
	ByMemory     uint64 // 304 without a scan and without rendering
	ByComparison uint64 // 304 after the answer was made
	Missed       uint64 // 200: the body is another one
	Entries      int
	Bytes        int
}

// Polls is a snapshot of what was counted since the start.
func (a *API) Polls() Polls {
	m := a.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	return Polls{m.byMemory.Load(), m.byComparison.Load(), m.missed.Load(), len(m.at), m.bytes}
}
