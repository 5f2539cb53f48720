// Package nametable has an id for each of any number of names: what a collector knows of an account, whose members
// may be more than memory has room for.
//
//	slot  SHA-256 of the name, its first 12 bytes, the lowest bit of the last one set · id, 4 bytes; zeros: it is free
//
// The slots are in a file that has no name, in the folder of the state: it ends with the process, also with one that
// is killed, and two processes on one folder have two. A name's slot is at the place that its sum says, or
// after it, where that is taken; a table that is half full is written into one of twice the size.
//
// # Promised
//
//   - Memory is bounded, whatever the number of names: that of the names asked for last.
//   - A name is looked up by one read of the file, mostly; of one asked for last by none.
//
// A Table belongs to one goroutine at a time.
package nametable
