// Package tuning fits a node into its machine: it divides --memory, keeps the process within
// it, and sets how the runtime, the C allocator and the kernel serve the process.
//
// It owns the settings of the process that are not of one room: the runtime's memory limit
// and GC percentage, GOMAXPROCS, huge pages of the heap, the arenas of malloc. The process
// stays below 1.25 × --memory (end-to-end test TestMemory_IsWhatTheFlagSays). What GOGC, GOMEMLIMIT and
// GOMAXPROCS set stays as set.
//
//	Choose      --memory where none is given: by the cgroup, else by the machine
//	Divide      --memory in parts, which the rooms get as their bounds
//	BoundHeap   the first limit of the runtime, before anything is opened
//	HeapKeeper  the limit and the columns' part from then on: one goroutine, Run
//	HeapRoom    a collection before a single large object, such as a password's hash
//	ExtraPs     at the start of main, before any other goroutine
//
// Choose and Divide are pure but for the files they read. Only package main calls it.
package tuning
