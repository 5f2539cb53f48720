package pebblefs

import (
	"syscall"
	"testing"
)

// niceness is the thread's.
func niceness(t *testing.T) int {
	t.Helper()
	p, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	return inverse - p
}

// A goroutine that yields has a thread of lower priority, and no other goroutine ever runs on it.
func TestYield_OwnThreadOfLowerPriority(t *testing.T) {
	usual := niceness(t)
	for range 100 {
		yielded := make(chan [2]int)
		go func() {
			yield()
			yielded <- [2]int{niceness(t), syscall.Gettid()}
		}()
		got := <-yielded
		if got[0] != min(usual+nicer, nicest) {
			t.Fatalf("niceness %d, was %d", got[0], usual)
		}
		for range 10 {
			others := make(chan [2]int)
			go func() { others <- [2]int{niceness(t), syscall.Gettid()} }()
			if o := <-others; o[0] != usual {
				t.Fatalf("another goroutine, on thread %d of %d, has niceness %d", o[1], got[1], o[0])
			}
		}
	}
}
