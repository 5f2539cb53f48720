package collect

import (
	"errors"
	"os"
	"testing"
)

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
				id, known := s.Known(aBrand, name)
				if want := n >= ends[i+1]-1; known != want || known && id != uint32(i+1) {
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
		if _, known := s.Known(aMember, "spotify:x"); !known {
			t.Fatalf("torn at %d: what was learned after is not known", n)
		}
		s.Close()
		if _, err := OpenState(dir, "another", 7); !errors.Is(err, ErrElsewhere) {
			t.Fatalf("torn at %d: %v", n, err)
		}
	}
}
