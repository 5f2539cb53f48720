// Package redact leaves out of answers what an analyst who is signed in to the console may not see: e-mails, telephone
// numbers, street addresses, tokens and Extended nodes.
//
// It goes by the names of fields and, of every text, by its form, since a user name may be an address of mail. It takes
// the answer as it would be sent: no operation has to know of it, and none can forget it.
package redact
