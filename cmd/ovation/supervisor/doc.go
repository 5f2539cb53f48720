// Package supervisor keeps processes running that belong together: one that ends is started again, and all end with
// the supervisor, whatever ends it.
//
//	Supervisor ── Start ─► Process ── ended ─► pause ─► started again
//	     │ End: SIGTERM, the first one last; SIGKILL for what remains
//	     ▼
//	a pipe that only the supervisor holds open ──► Leash, in the process: its end ends the process
//
// On Linux the kernel kills the processes together with their supervisor (PDEATHSIG); the pipe works everywhere.
// Processes are in groups of their own, so that Ctrl-C reaches the supervisor alone.
//
// Start and End are called by one goroutine; a Process may be asked by any.
package supervisor
