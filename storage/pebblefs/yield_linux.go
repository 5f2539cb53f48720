package pebblefs

import (
	"runtime"
	"syscall"
)

// Niceness: nineteen more is a seventieth of the weight; the kernel's scale ends there.
const (
	nicer   = 19
	nicest  = 19
	inverse = 20 // the system call gives 20 less the niceness
)

// yield gives the calling goroutine a thread of its own of lower priority, until it ends;
// the thread ends with it, since a process without privileges cannot raise it again.
func yield() {
	runtime.LockOSThread()
	// Where this is not allowed the work is done as before.
	if p, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid()); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, syscall.Gettid(), min(inverse-p+nicer, nicest))
	}
}
