package children_test

import (
	"strings"
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

// A panic goes on in the caller with its cause and its stack, and the child is not used again.
func TestChild_APanicIsTheCallers(t *testing.T) {
	childrentest.Run(t, func(c *children.Children) {
		var k, other children.Child
		c.Spawn(&k)
		c.Spawn(&other)
		var d children.Do
		panics := func(f func()) (cause any) {
			defer func() { cause = recover() }()
			d.F = f
			k.Do(&d)
			return nil
		}
		f, ok := panics(onPurpose).(*children.Failure)
		if !ok || f.Error() != "on purpose" || !strings.Contains(f.Stack, "onPurpose") {
			t.Errorf("the caller got %+v", f)
		}
		ran := false
		cause := panics(func() { ran = true })
		if _, ok := cause.(*children.Failure); cause == nil || ok || ran {
			t.Errorf("a child that panicked ran once more: %t, %v", ran, cause)
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

func onPurpose() { panic("on purpose") }
