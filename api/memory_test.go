package api

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The memory keeps what a naive list of the latest used keeps, within both bounds.
func TestTheMemoryForgetsWhatWasUsedLongestAgo(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	const entries, limit = 12, 24_000
	m := newMemory(entries, limit)
	type kept struct {
		key  questionKey
		what *recollection
	}
	var list []kept // the latest used last
	full := [2]int{}
	for range 5000 {
		key := questionKey{byte(r.IntN(30))}
		at := slices.IndexFunc(list, func(k kept) bool { return k.key == key })
		if r.IntN(2) == 0 {
			var want *recollection
			if at >= 0 {
				want = list[at].what
				list = append(slices.Delete(list, at, at+1), kept{key, want})
			}
			if got := m.get(key); got != want {
				t.Fatalf("seed %d: %v is %p, want %p", seed, key[0], got, want)
			}
			continue
		}
		what := &recollection{tag: strings.Repeat("x", r.IntN(3000))}
		m.put(key, what)
		if at >= 0 {
			list = slices.Delete(list, at, at+1)
		}
		list = append(list, kept{key, what})
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
	m.put(questionKey{}, &recollection{tag: strings.Repeat("x", 2*limit)})
	if len(m.at) != 0 || m.bytes != 0 || m.ring.next != &m.ring || m.ring.prev != &m.ring {
		t.Errorf("what fits not at all was kept: %d entries, %d bytes", len(m.at), m.bytes)
	}
}

func TestTheMemoryIsAnyGoroutines(t *testing.T) {
	m := newMemory(8, 1<<20)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				key := questionKey{byte((i * (g + 1)) % 20)}
				if r := m.get(key); r == nil {
					m.put(key, &recollection{tag: "x"})
				}
			}
		})
	}
	all.Wait()
	if len(m.at) != 8 || m.bytes != 8*(&recollection{tag: "x"}).bytes() {
		t.Errorf("%d entries, %d bytes", len(m.at), m.bytes)
	}
}
