// Package transport serves a handler over TCP: HTTP/1.1 and HTTP/2, plain or with TLS.
//
//	listener ─► [TLS handshake] ─► conn ─► net/http ─► closing? ─► handler
//	                  ▲              │
//	             Certificate     413 instead of 431
//
// With a certificate both protocols are offered by ALPN; without, HTTP/2 is for clients that
// know it beforehand (h2c). A handshake runs on a goroutine of its own with a time limit, so a
// slow client delays no other. Certificate replaces the certificate of new connections when
// its files change; if the new files are invalid, the old certificate stays and one error is logged.
//
// A header over the contract's bound is the handler's to refuse. One that is larger than
// MaxHeaderBytes never reaches it: net/http answers such with 431 and a text, and conn writes the
// contract's problem instead. On HTTP/2 the bound is announced to the client, and what is over it
// is refused by the protocol. The parts of an exchange have time limits (Limits): a slow
// header or body, an answer that is not taken, a connection without requests.
//
// Drain ends a Server: answers say that their connection closes (HTTP/2: GOAWAY), then the
// listener closes, requests under way are answered, and what is left at the deadline is cut.
//
// What net/http logs of connections is logged without addresses. Any goroutine may call a Server;
// a Certificate is reloaded by one.
package transport
