//go:build !race

package main

// underRace says that tests of one goroutine are left out.
const underRace = false
