// Package mailaddress has the one form of an email address by which a member is known: on every road,
// two addresses of one mailbox are one identity, and two mailboxes are two.
//
// The domain is what the DNS asks for: IDNA in its ASCII form, without the dot of the root. Of the part
// before it the letters of ASCII are folded, and what is not ASCII is in Unicode's form NFC. Letters that
// are not ASCII are never folded: U+212A, the Kelvin sign, is no k to a mail server, and who has that
// mailbox is a stranger to who has the other.
//
// The identities of addresses are made of it by serve.Request.Identity. It is the home of
// golang.org/x/text.
package mailaddress
