package domain

import "testing"

func TestMemory_ReusedUnlessAStringIsKept(t *testing.T) {
	for _, c := range []struct {
		kept []bool // by each of its users
		home int
	}{
		{[]bool{false}, 1}, {[]bool{false, false, false}, 1}, {[]bool{false, true, false}, 0}, {[]bool{true}, 0},
	} {
		home := 0
		m := NewMemory(make([]byte, 8), func(*Memory) { home++ })
		for range c.kept[1:] {
			m.Hold()
		}
		for i, kept := range c.kept {
			if home != 0 {
				t.Fatalf("%v: it went home before user %d was done", c.kept, i)
			}
			m.Release(kept)
		}
		if home != c.home {
			t.Errorf("%v: it went home %d times", c.kept, home)
		}
	}
	var none *Memory
	none.Hold()
	none.Release(true)
}
