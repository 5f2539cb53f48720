package collect

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// What is held in memory of members does not grow with their number: neither of those that are read, nor of those that
// are learned.
func TestState_MemoryIsBounded(t *testing.T) { // not beside others: it looks at the heap
	const n, most = 200_000, 8 << 20
	r := fixtureIn(t, t.TempDir())
	f, err := os.Create(r.path("known.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintf(w, `{"version":%d,"topic":"t","account":7}`+"\n", stateVersion)
	name := func(i int) string {
		return fmt.Sprintf("spotify:a member with a name of usual length, the number %d", i)
	}
	for i := range n {
		fmt.Fprintf(w, `{"kind":"member","name":%q}`+"\n", name(i))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	s, err := OpenState(r.dir, "t", 7)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if grown := heap() - before; grown > most {
		t.Errorf("%d bytes for %d members that were read", grown, n)
	}
	for i := n; i < n+n/4; i++ {
		if err := s.Learn(aMember, name(i), 0); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < n+n/4; i += 997 {
		if _, known, err := s.Known(aMember, name(i)); err != nil || !known {
			t.Fatalf("member %d: %v %v", i, known, err)
		}
	}
	if grown := heap() - before; grown > most {
		t.Errorf("%d bytes for %d members", grown, n+n/4)
	}
}

// A line that is torn anywhere is not known; all before it are, and what is learned
// next is.
func TestState_TornLineIsForgottenAlone(t *testing.T) {
	t.Parallel()
	r := fixtureIn(t, t.TempDir())
	s, err := OpenState(r.dir, "t", 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"first", "second", "third"} {
		if err := s.Learn(aBrand, name, uint32(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(r.path("known.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{} // of lines
	for i, c := range whole {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	for n := range len(whole) + 1 {
		dir := t.TempDir()
		torn := fixtureIn(t, dir)
		torn.write("known.ndjson", string(whole[:n]))
		for range 2 { // and once more, with what was learned after it
			s, err := OpenState(dir, "t", 7)
			if err != nil {
				t.Fatalf("torn at %d: %v", n, err)
			}
			for i, name := range []string{"first", "second", "third"} {
				id, known, err := s.Known(aBrand, name)
				if want := n >= ends[i+1]-1; err != nil || known != want || known && id != uint32(i+1) {
					t.Fatalf("torn at %d: %s is known %v as %d", n, name, known, id)
				}
			}
			if err := errors.Join(s.Learn(aMember, "spotify:x", 0), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
		s, err := OpenState(dir, "t", 7)
		if err != nil {
			t.Fatal(err)
		}
		if _, known, err := s.Known(aMember, "spotify:x"); err != nil || !known {
			t.Fatalf("torn at %d: what was learned after is not known", n)
		}
		s.Close()
		if _, err := OpenState(dir, "another", 7); !errors.Is(err, ErrElsewhere) {
			t.Fatalf("torn at %d: %v", n, err)
		}
	}
}
