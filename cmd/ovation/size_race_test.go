//go:build race

package main

// underRace says that tests of one goroutine are left out: the race detector has nothing to find
// there, and takes ten times as long.
const underRace = true
