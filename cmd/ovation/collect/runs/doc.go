// Package runs keeps what collectors did, in the folder of their state: a file for each run, and beside it
// the ids of its actions while they are needed.
//
//	runs/20260501-100000-k3fa.json   Run: its source, its counts, how far it was taken back
//	runs/20260501-100000-k3fa.ids/   IDs: of what member and id an action of the run is, by their hash, as they came
//
// A run begins with the first row that is read of a source and ends with the last. One that was killed is
// continued by the next command under the same name. Each of its actions has a marker that names the run and the
// row, unless the mapping gives it one: by these a run is taken back. Equal ids are counted at its end, when the ids
// are sorted on disk.
//
// # Promised
//
//   - A run's file is replaced as a whole, and synced before.
//   - Memory does not grow with the number of ids: they are on disk, and sorted there in pieces that are merged.
//   - No id is there in clear.
//
// A Folder may be used by any goroutine, and by several processes. IDs belong to one goroutine, and no two processes
// open those of one run.
package runs
