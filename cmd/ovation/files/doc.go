// Package files reads small files that an operator gives, and replaces those that only their owner may read.
//
// ReadPrivate refuses a file that others may read or change, but for one that root lets one group read: it is for
// secrets, tokens and private keys. A file is read up to a limit, so that one given by mistake does not fill the
// memory. No error quotes a file. A Replace is durable when it returns; the file is the old or the new one at any
// moment, also after a crash.
//
// Any goroutine may call it.
package files
