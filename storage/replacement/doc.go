// Package replacement replaces a shard of a store by one that was rebuilt beside the store.
//
//	<dir>/replay     a store that a replay fills
//	<dir>/*.sst      its keys, as tables of the store
//	<dir>/complete   the names of the tables
//
// With the last file, which is made durable after everything else, the shard is what the tables
// hold: Install puts them in the store, after a crash too. Without it the directory is leftover
// of a build that did not end. tables.go writes, install.go installs. One goroutine.
package replacement
