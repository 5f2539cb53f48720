// Package envelope makes what answers show of a member: the data node, its opt-ins that are in
// force, its service records, and the signed token of an envelope.
//
// Members are opened (package personal). No secret, hash or salt of an email record is shown. A
// Maker may be used by any goroutine.
package envelope
