// Package networks asks the networks that members come from: whose token it is, and for a new one.
//
//	register, login ─► Check   ─► user-info address  GET, Authorization: Bearer authtoken
//	tokens/refresh  ─► Refresh ─► token endpoint     POST, grant_type=refresh_token (golang.org/x/oauth2)
//
// Which network is asked where, and by which client, is in a file of the operator's (Open). A
// network that the file does not have is never asked.
//
// An answer is one of three: the network confirms; it refuses (ErrRefused: the token is unknown or
// expired there, or another account's); or it says nothing that can be used, which is an error with
// code domain.Unavailable. A check says whose token it is and, with a client in the file, that the
// network made it for that one: without it any application of the network can pass on a token that a user gave
// it (AnyClient), and be that user here.
//
// An address is https, or http to loopback. No redirect is followed, an answer over 64 KiB is not
// read, and a question takes at most 5 s, 64 of one network at a time. Nothing is retried, but for
// a token endpoint that takes the client's name and secret in the body alone.
//
// No log line and no error has a token, a secret or a uid, or quotes what a network answered. A
// failure is logged when its cause is another one than before, with the network's service. Any
// goroutine may call a Networks.
package networks
