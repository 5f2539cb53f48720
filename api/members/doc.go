// Package members answers the operations on members: registration and services, a member
// with its opt-ins and records, opt-ins, lists of members, what one did, and the deletion of
// an action.
//
// A Service has member tokens signed (package token) and hashes passwords (passwords.go), a bounded
// number at once. Everything that a registration has of chance, hashes and time is made here
// and carried by its command (I6). No secret, hash or salt of an email registration is shown
// or logged. A handler runs on the goroutine of its request; a Service may be called by any.
package members
