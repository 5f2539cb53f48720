package children_test

import (
	"testing"
	"unsafe"

	"github.com/ovation-analytics/ovation/actors/shard/children"
	"github.com/ovation-analytics/ovation/actors/shard/children/childrentest"
)

// A function has run when Do returns, by each child as itself, also by one whose neighbour was stopped.
func TestChild_DoRunsAtOnce(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		var a, b children.Child
		c.Spawn(&a)
		c.Spawn(&b)
		n := 0
		more := &children.Do{F: func() { n++ }}
		for i := range 10 {
			a.Do(more)
			b.Do(more)
			if n != 2*(i+1) {
				t.Fatalf("%d have run, want %d", n, 2*(i+1))
			}
		}
		c.Stop(&a)
		if b.Do(more); n != 21 {
			t.Errorf("%d have run, want 21", n)
		}
	})
}

// A panic goes on in the caller, and the child is not used again.
func TestChild_APanicIsTheCallers(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		var k, other children.Child
		c.Spawn(&k)
		c.Spawn(&other)
		panics := func(f func()) (panicked bool) {
			defer func() { panicked = recover() != nil }()
			k.Do(&children.Do{F: f})
			return false
		}
		if !panics(func() { panic("on purpose") }) {
			t.Error("the panic is not the caller's")
		}
		ran := false
		if !panics(func() { ran = true }) || ran {
			t.Error("a child that panicked ran once more")
		}
		if other.Do(&children.Do{F: func() { ran = true }}); !ran {
			t.Error("another child did not run")
		}
	})
}

func TestChild_LeavesAMemberOneCacheLine(t *testing.T) {
	if got := unsafe.Sizeof(children.Child{}); got != 40 {
		t.Errorf("a child has %d bytes, want 40", got)
	}
}
