// Package admintest is an admin port without a node, for tests of the port and of the commands
// that ask it: an engine that applies accounts, applications and keys in memory.
package admintest
