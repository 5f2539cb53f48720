// Package token makes and judges the tokens of members, and receipts of their erasure.
//
//	jwt            EdDSA under a key that rotates; names member, application and opt-ins
//	access token   one AES block over the member's id and 80 random bits
//	receipt        a jwt of another type and audience: neither is taken for the other
//
// The keys that sign are the catalog's (domain.SigningKey): every node publishes and believes
// the same ones. A node signs with the newest of them that has begun and whose private half it
// holds. Of the keys, the one that signs now, those that will, and the one before are in force,
// and others as long as a token of theirs may live; an ended key is not. A receipt does not expire,
// and its key leaves the key set at the second rotation, or when it is ended: who keeps a receipt
// keeps the key set of its time beside it.
//
// A reset of the access token ends what a jwt may write: iat of one made after it is no earlier than
// domain.Member.TokensFrom, iat of one made before it is. Right after a reset iat may lie up to a second ahead.
//
// A Tokens keeps the private halves and may be called by any goroutine. No error quotes a
// token.
package token
