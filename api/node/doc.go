// Package node makes the Extended nodes of members: what is derived of a member, what it did, and
// beside them what updates merged.
//
//	opened member                      ─► names, address, times, profiles
//	visits of all time, by domain      ─► domains: the first and the last visit on each
//	actions of a week and of half a year ─► ae_data: the brands that the most points went to
//
// What the engine has to be asked for is asked for all members of a list at once, one question a
// range, and only where a request wants it (Parts). A node does not depend on the filters of the
// list that it is in: actions count as in member show without parameters.
//
// Functions run on the goroutine of the request.
package node
