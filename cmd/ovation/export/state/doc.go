// Package state remembers, in a folder, what was exported.
//
//	s                 → State, as JSON: which table, the next part, where the next run begins, the run under way
//	r, id (8 bytes)   → what was exported of a row: 8 bytes that tell one version of it from another; of a table whose
//	                    rows never change none
//
// Commit is one synced batch: what is remembered of the rows of a part, and that the part is there, change together,
// and after the part's file is on the disk. So a process that is killed leaves a part that is remembered, or one that
// is not and is written again under the same name.
//
// The folder is locked while a process has it open. What it takes of memory does not grow with what it remembers, but
// for the rows of one part. A Store belongs to one goroutine.
package state
