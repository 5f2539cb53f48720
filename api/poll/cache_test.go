package poll

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// The cache gives what was put last, keeps what was used lately, and takes no more than its bound.
func TestCache_WithinItsBound(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const limit = 24_000
	c := NewCache(limit)
	last := map[key]*cachedResponse{}
	full := 0
	for range 5000 {
		k := key{byte(r.IntN(30))}
		if r.IntN(2) == 0 {
			if got := c.get(k); got != nil && got != last[k] {
				t.Fatalf("seed %d: %v is not what was put last", seed, k[0])
			}
			continue
		}
		last[k] = &cachedResponse{tag: strings.Repeat("x", r.IntN(3000))}
		if c.put(k, last[k]); c.get(k) != last[k] {
			t.Fatalf("seed %d: %v is put and not there", seed, k[0])
		}
		s := c.Stats()
		if s.Bytes > limit {
			t.Fatalf("seed %d: %d bytes of %d", seed, s.Bytes, limit)
		}
		if s.Bytes > limit*3/4 {
			full++
		}
	}
	if full == 0 {
		t.Errorf("seed %d: the bound was never near", seed)
	}
	k := key{1}
	c.put(k, &cachedResponse{})
	c.put(k, &cachedResponse{tag: strings.Repeat("x", limit)})
	if c.get(k) != nil {
		t.Error("what does not fit is kept, or what it replaces")
	}
}

// Any goroutine may use the cache.
func TestCache_AnyGoroutine(t *testing.T) {
	c := NewCache(1 << 20)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				k := key{byte((i * (g + 1)) % 20)}
				if r := c.get(k); r == nil {
					c.put(k, &cachedResponse{tag: "x"})
				}
			}
		})
	}
	all.Wait()
	if s := c.Stats(); s.Entries != 20 || s.Bytes != 20*(&cachedResponse{tag: "x"}).bytes() {
		t.Errorf("%+v", s)
	}
}
