// Package twogen has a cache that evicts what was not used for a generation. It costs no list
// and no counter a key, and at most twice its limit of memory.
package twogen
