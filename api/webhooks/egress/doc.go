// Package egress sends one request to the receiver of a webhook, whose address a customer chose.
//
//	POST url ─► resolve ─► Guard: the address that is dialled ─► TLS ─► status of the answer
//
// The address is https without user-info (ParseURL). The guard judges each address when it is dialled, after the
// name was resolved, so a name that resolves to another address the second time is judged again. Only public
// unicast addresses pass, and the networks that the operator allows. A request uses no proxy of the environment,
// follows no redirect, and takes at most 10 s. Of the answer 4 KiB are read and nothing is kept but the status and
// Retry-After.
//
// A failure is one of a few words. Neither a word nor an error tells an address, what a name resolved to, or
// what answered: a webhook must not scan the operator's network. A connection that the guard refuses and one that
// the network refuses have the same word.
//
// Any goroutine may call a Client.
package egress
