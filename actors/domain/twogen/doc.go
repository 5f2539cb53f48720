// Package twogen has a cache that evicts what was not used for a generation. It costs no list
// and no counter a key, and at most twice its limit of memory. Every room may use it: what is cached
// by identity, record, key, slot or question is cached by it.
package twogen
