// Package members answers the operations on members that are there: a member with its opt-ins and
// records, that of a token, opt-ins, lists of members, what one did, and the deletion of an action.
// Package registration registers them and logs them in, package profile changes them.
//
// A handler runs on the goroutine of its request; a Service may be called by any.
package members
