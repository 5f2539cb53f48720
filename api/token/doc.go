// Package token makes and judges the tokens of members.
//
//	jwt            EdDSA under a key that rotates; names member, application and opt-ins
//	access token   one AES block over the member's id and 80 random bits
//
// The keys that sign are the catalog's (domain.SigningKey): every node publishes and believes
// the same ones. A node signs with the newest of them that has begun and whose private half it
// holds. Of the keys, the one that signs now, those that will, and the one before are in force,
// and others as long as a token of theirs may live; an ended key is not.
//
// A Tokens keeps the private halves and may be called by any goroutine. No error quotes a
// token.
package token
