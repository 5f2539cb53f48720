// Package background lets the work that a store does by itself, flushes and compactions,
// give way to what somebody waits for. Where the processors are busy, a flush of 64 MiB
// beside them doubles the time to an answer for as long as it runs; there is time for it
// in between. It does not starve: if it falls behind, writes stall and leave it the
// processors.
package background
