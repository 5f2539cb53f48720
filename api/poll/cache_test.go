package poll

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The cache keeps what a naive list of the latest used keeps, within both bounds.
func TestCache_EvictsTheLeastRecentlyUsed(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const entries, limit = 12, 24_000
	m := newCache(entries, limit)
	type kept struct {
		key  key
		what *cachedResponse
	}
	var list []kept // the latest used last
	full := [2]int{}
	for range 5000 {
		k := key{byte(r.IntN(30))}
		at := slices.IndexFunc(list, func(o kept) bool { return o.key == k })
		if r.IntN(2) == 0 {
			var want *cachedResponse
			if at >= 0 {
				want = list[at].what
				list = append(slices.Delete(list, at, at+1), kept{k, want})
			}
			if got := m.get(k); got != want {
				t.Fatalf("seed %d: %v is %p, want %p", seed, k[0], got, want)
			}
			continue
		}
		what := &cachedResponse{tag: strings.Repeat("x", r.IntN(3000))}
		m.put(k, what)
		if at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		list = append(list, kept{k, what})
		for {
			bytes := 0
			for _, k := range list {
				bytes += k.what.bytes()
			}
			if len(list) <= entries && bytes <= limit {
				break
			}
			if len(list) > entries {
				full[0]++
			} else {
				full[1]++
			}
			list = list[1:]
		}
	}
	if full[0] == 0 || full[1] == 0 {
		t.Errorf("seed %d: a bound was never met: %v", seed, full)
	}
	m.put(key{}, &cachedResponse{tag: strings.Repeat("x", 2*limit)})
	if len(m.at) != 0 || m.bytes != 0 || m.ring.next != &m.ring || m.ring.prev != &m.ring {
		t.Errorf("what fits not at all was kept: %d entries, %d bytes", len(m.at), m.bytes)
	}
}

// Any goroutine may use the cache.
func TestCache_AnyGoroutine(t *testing.T) {
	m := newCache(8, 1<<20)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				k := key{byte((i * (g + 1)) % 20)}
				if r := m.get(k); r == nil {
					m.put(k, &cachedResponse{tag: "x"})
				}
			}
		})
	}
	all.Wait()
	if len(m.at) != 8 || m.bytes != 8*(&cachedResponse{tag: "x"}).bytes() {
		t.Errorf("%d entries, %d bytes", len(m.at), m.bytes)
	}
}
