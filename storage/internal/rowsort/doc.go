// Package rowsort puts rows in order of a group, time and sequence without moving them, and
// numbers the account's months that they belong to. Its values are scratch of one goroutine.
package rowsort
