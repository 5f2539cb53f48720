package domain

import "testing"

func TestMemoryGoesHomeWhenTheLastUserIsDoneAndNobodyKeptAString(t *testing.T) {
	for _, c := range []struct {
		kept []bool // by each of its users
		home bool
	}{
		{[]bool{false}, true}, {[]bool{false, false, false}, true}, {[]bool{false, true, false}, false}, {[]bool{true}, false},
	} {
		home := make(chan *Memory, 1)
		m := NewMemory(make([]byte, 8), home)
		for range c.kept[1:] {
			m.Hold()
		}
		for i, kept := range c.kept {
			if len(home) != 0 {
				t.Fatalf("%v: it went home before user %d was done", c.kept, i)
			}
			m.Release(kept)
		}
		if got := len(home) == 1; got != c.home {
			t.Errorf("%v: home %v", c.kept, got)
		}
	}
	var none *Memory
	none.Hold()
	none.Release(true)
}

func TestMemoryThatFindsItsHomeFullIsGivenUp(t *testing.T) {
	home := make(chan *Memory, 1)
	for range 2 {
		NewMemory(make([]byte, 8), home).Release(false)
	}
	if len(home) != 1 {
		t.Errorf("%d at home", len(home))
	}
}
