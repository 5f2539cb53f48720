// Package credentials hashes the passwords of members and checks them, within bounds of memory and
// of cores that accounts share: one core stays for other work, where there is more than one.
//
// What is stored of a password is a keyed hash of its argon2id hash, in PHC format: the log has it
// for ever, and says nothing without the installation's secret. Hashes that were made elsewhere
// (bcrypt, argon2id) are imported. No error quotes a password or a hash. A Passwords may be used by
// any goroutine.
package credentials
