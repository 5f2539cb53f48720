package tuning

import (
	"math"
	"runtime/debug"
	"testing"
)

// The heap is collected before an object that would exceed the limit, and only then.
func TestHeapRoom_CollectsBeforeTheLimit(t *testing.T) {
	collected := 0
	use := heapUse{used: 150 * MiB, limit: 200 * MiB}
	r := HeapRoom{
		read:    func() heapUse { return use },
		collect: func() { collected++; use.used = 60 * MiB },
	}
	for _, c := range []struct {
		bytes int64
		want  int
	}{{50 * MiB, 0}, {51 * MiB, 1}, {140 * MiB, 1}, {200 * MiB, 2}, {math.MaxInt64, 3}} {
		if r.For(c.bytes); collected != c.want {
			t.Errorf("%d MiB: collected %d times, want %d", c.bytes/MiB, collected, c.want)
		}
	}
}

// What the runtime counts is below a limit that no program reaches, and above one of nothing.
func TestHeapRoom_ReadsTheRuntime(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	r, collected := NewHeapRoom(), 0
	r.collect = func() { collected++ }
	debug.SetMemoryLimit(math.MaxInt64)
	if r.For(MiB); collected != 0 {
		t.Fatal("collected below the limit")
	}
	debug.SetMemoryLimit(int64(r.read().used) + 512*MiB)
	if r.For(MiB); collected != 0 {
		t.Fatal("collected where there is room")
	}
	if r.For(1024 * MiB); collected != 1 {
		t.Fatal("not collected for an object that exceeds the limit")
	}
}
