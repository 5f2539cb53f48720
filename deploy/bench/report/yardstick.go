package report

import (
	"runtime"
	"syscall"
	"time"
)

// Yardstick is the CPU time of one dependent read at a random place of 64 MiB, in
// nanoseconds. Applying activities waits for memory most of the time: on a
// shared machine figures of two runs compare where their yardsticks do.
func Yardstick() float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const places, steps = 64 << 20 / 8, 1 << 20
	next := make([]uint64, places)
	at := uint64(0)
	for i := range next { // a full-period linear congruence: one circle through all places
		next[i] = (uint64(i)*6364136223846793005 + 1442695040888963407) % places
	}
	before := threadCPU()
	for range steps {
		at = next[at]
	}
	took := threadCPU() - before
	runtime.KeepAlive(at)
	return float64(took) / steps
}

// threadCPU is the CPU time of the calling thread.
func threadCPU() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if err := syscall.Getrusage(thread, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
