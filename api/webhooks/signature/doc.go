// Package signature signs what is sent to receivers of webhooks, as Standard Webhooks says.
//
//	webhook-id          the message's
//	webhook-timestamp   seconds since 1970, of the try
//	webhook-signature   v1,base64(HMAC-SHA256(secret, id "." timestamp "." body)), one a secret, by blanks
//
// A Secret is 32 bytes of chance; a customer sees it once, as whsec_ and base64. During a rotation a
// message has a signature of each secret, so a receiver that knows one of the two verifies it. A Secret
// prints as nothing: neither a log nor an error shows it by chance.
package signature
