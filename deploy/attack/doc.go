// Package attack is clients that take what belongs to all, and honest ones beside them.
//
//	Stalled      asks for lists and reads no answer, over HTTP/1.1 and over streams of HTTP/2 without
//	             a window
//	SlowSenders  sends bodies without a key, a byte of each
//	Waiters      waits for positions that never come
//	Strangers    asks with keys that are none, thousands a second
//	Hashes       imports the most expensive hashes that are taken, and tries wrong passwords
//	Honest       asks for what applications ask for, and notes how long each answer took
//
// Each is a function that runs until its context ends. The end-to-end test TestAttack_HonestAccounts
// has all of them at once, with a short time; with the build tag full it takes the sizes to be quoted.
package attack
