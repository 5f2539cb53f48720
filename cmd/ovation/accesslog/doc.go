// Package accesslog writes the access log: a line of JSON for each answered request.
//
//	API ─► slog ─► Write ─► pending, at most 1 MiB ─► writer ─► file or standard output
//	                  └─ full: the line is dropped and counted
//
// An answer never waits for the file: Write appends to memory, and a goroutine writes what is
// pending, all of it at once: at most 100 ms after its first line, and sooner where half of the memory is used. While the file takes nothing, lines are dropped, and counted. A
// file that was moved away, as a log rotation does, is opened again within a second of use.
//
// What a line holds is the API's: see package serve. Any goroutine may call Write.
package accesslog
