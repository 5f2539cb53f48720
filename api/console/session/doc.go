// Package session signs people in to the console, and tells by whom a request of its pages is made.
//
//	link   a token of 32 random bytes, taken once within its time ─┐
//	key    an API key of an application                            ├─► session ─► two halves
//
// A session is a record of the catalog. Who has it proves so with two halves, and needs both: a cookie that no script
// reads, sealed, so that any node opens it, and 32 random bytes in the header Ovation-Console, which the cookie has the
// hash of. A cookie is sent to every port of a host, and for pages of any of them; what a page stores is of its own
// port, but scripts read it. So neither half alone is enough.
//
// The cookie is bound to the host that it was given at, and to the port of the node, public or admin, by whose name it
// has. What it says must be what the catalog says of the session now: one that was ended, is over, or whose key was
// revoked is no session any more. An operator's session is good at the admin port alone, any other at the public one.
//
// Nobody signs in over a connection that others can read: beyond this machine it takes TLS. On this machine without TLS
// WebKit takes no Secure cookie, so Safari gets one that is not, of a name without the prefix __Host-. It is bound and
// sealed likewise, and is good on this machine alone.
//
// No error, log line or metric has a token, a key, a cookie or a half. Any goroutine may call a Service.
package session
