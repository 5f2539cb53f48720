package personal

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ovation-analytics/ovation/actors/domain"
	"github.com/ovation-analytics/ovation/actors/keys/keystest"
)

// cached is what the cache has of a member.
func (s *Sealer) cached(m *domain.Member) *domain.Member { return s.shown.get([]*domain.Member{m})[0] }

// A record of a list is opened once. Another record of the member is opened again, though its sealed
// part is the same.
func TestOpenedCache_IsOfOneRecord(t *testing.T) {
	s := NewSealer(new(keystest.Keys), 1<<20, slog.New(slog.DiscardHandler))
	put, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	m, later := stored(put), stored(put)
	later.Profile = domain.Fields{{Field: domain.Region, Value: "Bonn"}}
	var got []*domain.Member
	for _, x := range []*domain.Member{m, m, later, later} {
		open, err := s.open(t.Context(), []*domain.Member{x}, s.shown, false)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, open[0])
	}
	if got[0] != got[1] || got[2] != got[3] {
		t.Error("a record was opened twice")
	}
	for i, city := range []string{"Köln", "Köln", "Bonn", "Bonn"} {
		if got[i].Profile.Get(domain.Region) != city || got[i].Profile.Get(domain.FirstName) != "Ada" {
			t.Errorf("%d: %+v", i, got[i].Profile)
		}
	}
	alone, err := s.open(t.Context(), []*domain.Member{later}, nil, false)
	if err != nil || alone[0] == got[3] {
		t.Errorf("a member that is read alone is that of the cache, or %v", err)
	}
}

// What was opened with a key that is deleted is neither shown nor kept, nor does one who read the
// key before put it back (I10).
func TestOpenedCache_GoesWithItsKey(t *testing.T) {
	keys := new(keystest.Keys)
	s := NewSealer(keys, 1<<20, slog.New(slog.DiscardHandler))
	put, err := s.Put(t.Context(), 1, nil, ada())
	if err != nil {
		t.Fatal(err)
	}
	m := []*domain.Member{stored(put)}
	open, err := s.open(t.Context(), m, s.shown, false)
	if err != nil || s.cached(m[0]) != open[0] {
		t.Fatalf("nothing is cached, %v", err)
	}
	before := s.shown.moment()
	keys.Delete(put.Key)
	if s.cached(m[0]) != nil {
		t.Error("cached without its key")
	}
	s.shown.put(before, []openedMember{{m[0], open[0]}})
	if s.cached(m[0]) != nil {
		t.Error("cached again without its key")
	}
	s.shown.put(s.shown.moment(), []openedMember{{m[0], open[0]}}) // as if it were cached in between
	if _, err := s.open(t.Context(), m, s.shown, false); !errors.Is(err, errNoKey) {
		t.Errorf("shown without its key: %v", err)
	}
}

// While members are opened their keys are deleted: of a key that is, nothing is cached.
func TestOpenedCache_KeysDeletedMeanwhile(t *testing.T) {
	keys := new(keystest.Keys)
	s := NewSealer(keys, 1<<20, slog.New(slog.DiscardHandler))
	members := make([]*domain.Member, 64)
	for i := range members {
		put, err := s.Put(t.Context(), 1, nil, ada())
		if err != nil {
			t.Fatal(err)
		}
		members[i] = stored(put)
	}
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for i := range 4 * len(members) {
				m := members[i%len(members)]
				if _, err := s.open(t.Context(), []*domain.Member{m}, s.shown, false); err != nil && !errors.Is(err, errNoKey) {
					t.Error(err)
				}
			}
		})
	}
	for i := 0; i < len(members); i += 2 {
		keys.Delete(members[i].Personal.Key)
		if s.cached(members[i]) != nil {
			t.Errorf("member %d is cached without its key", i)
		}
	}
	readers.Wait()
	for i, m := range members {
		if i%2 == 0 && s.cached(m) != nil {
			t.Errorf("member %d is cached without its key", i)
		}
		if _, err := s.open(t.Context(), []*domain.Member{m}, s.shown, false); (err == nil) != (i%2 == 1) {
			t.Errorf("member %d: %v", i, err)
		}
	}
}

// The cache takes no more memory than it is given, and forgets what was not used.
func TestOpenedCache_Memory(t *testing.T) {
	const maxBytes = 8 << 20
	c := newOpenedCache(maxBytes)
	before := heapBytes()
	text := func(n int) string { return strings.Repeat("x", n) }
	made := func(n int) openedMember {
		m := stored(domain.PersonalPut{Sealed: domain.Sealed{Key: domain.KeyID{byte(n), byte(n >> 8)}, Data: text(300)}})
		p := ada()
		for f := range p.Profile {
			p.Profile[f].Value = fmt.Sprint(n)
		}
		return openedMember{m, m.Opened(p)}
	}
	first := made(0)
	for n := 1; n < 20_000; n++ {
		c.put(0, []openedMember{made(n)})
		if n == 1 {
			c.put(0, []openedMember{first})
		}
	}
	if c.get([]*domain.Member{first.sealed})[0] != nil {
		t.Error("what was put first is still there")
	}
	took := heapBytes() - before
	runtime.KeepAlive(c)
	t.Logf("%d bytes of %d", took, maxBytes)
	if took > maxBytes || took < maxBytes/4 {
		t.Errorf("%d bytes are taken, %d may be", took, maxBytes)
	}
}

// heapBytes is what is live.
func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
