// Package secrets holds what an installation must keep to itself and must never lose: the pepper of identities, the
// key of access tokens, the private halves of signing keys, the master keys, a password for Kafka.
//
//	Open, Read, Keep  the file of secrets; Open makes new ones at the first start of an installation, and only then,
//	                  and Keep writes them once it is known that the log is of no installation yet
//	Checks, CheckSigning, OtherError   whether they are those of the installation that made the log
//	RotateMaster      a new first master key: the first one wraps data keys, any of them opens what it wrapped
//	Signing           the signing keys of a node, for its admin port: Rotate makes one
//	PublishSigningKeys, WarnWithoutKey   what a start settles between the file and the catalog
//
// The file is read only if no one but its owner may read it, and it is replaced as a whole: it is the old or the new
// one at any moment. Master keys may come from the environment (MasterKeys) instead. A private half is in the file,
// durable, before the catalog has the public one.
//
// Secrets and signing keys print as fixed words, whatever prints them. No error quotes the file. Files that others
// change at the same time are the operator's; within a process Signing takes one rotation at a time.
package secrets
